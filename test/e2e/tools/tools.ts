import type { Need, Tool } from './install.ts';

const GO: Need = { what: 'Go', command: ['go', 'version'] };
const PYTHON: Need = {
  what: 'Python 3 with venv',
  command: ['python3', '-c', 'import ensurepip, sys, venv; print(sys.version, sys.base_prefix)'],
};
const CMAKE: Need = { what: 'cmake', command: ['cmake', '--version'] };
const MAKE: Need = { what: 'make', command: ['make', '--version'] };
const COMPILER: Need = { what: 'C++ compiler (g++)', command: ['g++', '--version'] };

/** AWS's Lambda emulator: `bin/aws-lambda-rie`. It keeps no releases as Go versions, so a commit is pinned. */
export const EMULATOR: Tool = {
  name: 'aws-lambda-rie',
  needs: [GO],
  build: [['go', 'build', '-trimpath', '-o', 'bin/', 'tool']],
};

/** The client that runs inside a Lambda function: `node_modules/aws-lambda-ric/index.mjs`. node-gyp needs Python. */
export const RUNTIME_CLIENT: Tool = {
  name: 'aws-lambda-ric',
  needs: [CMAKE, MAKE, COMPILER, PYTHON],
  build: [['npm', 'ci', '--no-audit', '--no-fund']],
  builtFor: { what: 'Node.js', command: ['node', '--version'] },
};

/** An emulator of AWS that is not AWS's, with boto3: `venv/bin/python`. */
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
};
