import type { Need, Tool } from './install.ts';

const GO: Need = { what: 'Go', command: ['go', 'version'] };
const PYTHON: Need = {
  what: 'Python 3 with venv',
  command: ['python3', '-c', 'import ensurepip, sys, venv; print(sys.version, sys.base_prefix)'],
};
const CMAKE: Need = { what: 'cmake', command: ['cmake', '--version'] };
const MAKE: Need = { what: 'make', command: ['make', '--version'] };
const COMPILER: Need = { what: 'C++ compiler (g++)', command: ['g++', '--version'] };

const KUBERNETES = 'v1.36.1';
const goBuild = (to: string, what: string, ...flags: readonly string[]) => [
  'go',
  'build',
  '-trimpath',
  ...flags,
  '-o',
  to,
  what,
];
/** What `/version` and `kubectl version` say. */
const STAMP = ['-ldflags', `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES}`];

/** The database of an apiserver. */
export const ETCD: Tool = {
  name: 'etcd',
  needs: [GO],
  build: [goBuild('bin/etcd', 'go.etcd.io/etcd/server/v3')],
  program: 'bin/etcd',
  existing: { variable: 'ETCD' },
};

export const KUBE_APISERVER: Tool = {
  name: 'kubernetes',
  needs: [GO],
  build: [goBuild('bin/kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver', ...STAMP)],
  program: 'bin/kube-apiserver',
  existing: { variable: 'KUBE_APISERVER' },
};

/** The one on the PATH will do: it is what a user has. */
export const KUBECTL: Tool = {
  name: 'kubernetes',
  needs: [GO],
  build: [goBuild('bin/kubectl', 'k8s.io/kubernetes/cmd/kubectl', ...STAMP)],
  program: 'bin/kubectl',
  existing: { variable: 'KUBECTL', command: 'kubectl' },
};

/** AWS's Lambda emulator. It keeps no releases as Go versions, so a commit is pinned. */
export const EMULATOR: Tool = {
  name: 'aws-lambda-rie',
  needs: [GO],
  build: [goBuild('bin/', 'tool')],
  program: 'bin/aws-lambda-rie',
};

/** The client that runs inside a Lambda function, a module. node-gyp needs Python. */
export const RUNTIME_CLIENT: Tool = {
  name: 'aws-lambda-ric',
  needs: [CMAKE, MAKE, COMPILER, PYTHON],
  build: [['npm', 'ci', '--no-audit', '--no-fund']],
  builtFor: { what: 'Node.js', command: ['node', '--version'] },
  program: 'node_modules/aws-lambda-ric/index.mjs',
};

/** An emulator of AWS that is not AWS's, with boto3: the Python that has both. */
export const MOTO: Tool = {
  name: 'moto',
  needs: [PYTHON],
  build: [
    ['python3', '-m', 'venv', 'venv'],
    [
      'venv/bin/python',
      '-m',
      'pip',
      'install',
      '--quiet',
      '--requirement',
      'requirements.txt',
      '--constraint',
      'constraints.txt',
    ],
  ],
  builtFor: PYTHON,
  program: 'venv/bin/python',
};
