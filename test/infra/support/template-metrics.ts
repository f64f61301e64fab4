/** Reads which metrics a synthesised template names, in its alarms and on its dashboards. */

/** A metric as one comparable text: `Roundhouse LossyConversions service=convert stage=test target=*`. */
export type MetricId = string;

export function metricId(namespace: string, name: string, dimensions: Readonly<Record<string, string>>): MetricId {
  const pairs = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
  return [namespace, name, ...pairs.sort()].join(' ');
}

/** Replaces intrinsic functions by text, so that what they stand in can be read: `<LogicalId>`, `<LogicalId.Arn>`. */
export function resolveText(value: any): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Ref' in value) return `<${value.Ref}>`;
  if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map(resolveText).join(separator);
  }
  throw new Error(`cannot resolve ${JSON.stringify(value)}`);
}

/** Every metric that an alarm looks at, those inside metric math included. */
export function alarmMetrics({ Properties: alarm }: any): MetricId[] {
  const single = alarm.MetricName ? [alarm] : [];
  const inMath = (alarm.Metrics ?? []).flatMap(({ MetricStat }: any) => MetricStat?.Metric ?? []);
  return [...single, ...inMath].map(({ Namespace, MetricName, Dimensions = [] }: any) => {
    const pairs = Dimensions.map(({ Name, Value }: any) => [Name, resolveText(Value)]);
    return metricId(Namespace, MetricName, Object.fromEntries(pairs));
  });
}

export function alarmExpressions({ Properties: alarm }: any): string[] {
  return (alarm.Metrics ?? []).flatMap(({ Expression }: any) => Expression ?? []);
}

export function dashboardBody({ Properties: dashboard }: any): any {
  return JSON.parse(resolveText(dashboard.DashboardBody));
}

/** Every metric that a graph shows, those inside metric math and those that a SEARCH finds (their values are `*`) included. */
export function graphMetrics({ properties }: any): MetricId[] {
  return properties.metrics.flatMap((entry: any[]) => {
    const parts = typeof entry.at(-1) === 'object' ? entry.slice(0, -1) : entry;
    const { expression } = entry.at(-1) ?? {};
    if (expression !== undefined) return expression.includes('SEARCH(') ? [searchedMetric(expression)] : [];
    const [namespace, name, ...dimensions] = parts;
    if (parts.length < 2 || dimensions.length % 2 !== 0 || parts.some((part) => /^\.+$/.test(part))) {
      throw new Error(`not a metric: ${JSON.stringify(entry)}`);
    }
    const pairs = dimensions.flatMap((key, index) => (index % 2 === 0 ? [[key, dimensions[index + 1]]] : []));
    return [metricId(namespace, name, Object.fromEntries(pairs))];
  });
}

function searchedMetric(expression: string): MetricId {
  const match = /^SEARCH\('\{([^,}]+),([^}]+)\} (.*)', '[^']+', \d+\)$/.exec(expression);
  if (match === null) throw new Error(`not a search: ${expression}`);
  const [, namespace = '', schema = '', text = ''] = match;
  const terms = Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  const { MetricName: name, ...fixed } = terms;
  if (name === undefined) throw new Error(`no metric name: ${expression}`);
  const dimensions = schema.split(',').map((key) => [key, fixed[key] ?? '*']);
  const unknown = Object.keys(fixed).filter((key) => !schema.split(',').includes(key));
  if (unknown.length > 0) throw new Error(`not in the schema: ${unknown}`);
  return metricId(namespace, name, Object.fromEntries(dimensions));
}
