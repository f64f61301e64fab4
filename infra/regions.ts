/**
 * Regions where Lambda has no function URLs: AWS Lambda developer guide, "Creating and managing Lambda function URLs". In
 * the last row those where CloudFormation does not know them, by the schemas that CDK validates templates with. A Region
 * that is not here is let through, so that a new one does not have to wait for us.
 */
const WITHOUT_FUNCTION_URLS = new Set([
  ...['ap-south-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ap-east-2'],
  ...['ca-west-1', 'eu-south-2', 'eu-central-2', 'il-central-1', 'me-central-1'],
  ...['cn-northwest-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
]);

/** The CDK command line always names a Region, and a person may not know where it comes from. */
const SOURCE = 'The Region is that of AWS_REGION or of the profile (--profile); without either it is us-east-1.';

/**
 * Whether the stack can run in a Region.
 *
 * @param region undefined when it is not known: then nothing can be said
 * @param certificateArn of the ACM certificate of `convertDomain`
 * @returns every problem, as a text for the person who deploys
 */
export function checkRegion(region: string | undefined, certificateArn?: string): string[] {
  if (region === undefined) return [];
  const problems: string[] = [];
  if (WITHOUT_FUNCTION_URLS.has(region)) {
    const have = [...WITHOUT_FUNCTION_URLS].join(', ');
    problems.push(
      `AWS Lambda has no function URLs in ${region}, and Roundhouse is reached through them. Deploy to another Region: any but ${have}. ${SOURCE}`,
    );
  }
  const [, , , certificateRegion] = certificateArn?.split(':') ?? [];
  if (certificateRegion !== undefined && certificateRegion !== region) {
    problems.push(
      `convertCertificateArn: the certificate is in ${certificateRegion}, the stack in ${region}. A Regional domain name takes certificates of its own Region only: request or import one in ${region}. ${SOURCE}`,
    );
  }
  return problems;
}
