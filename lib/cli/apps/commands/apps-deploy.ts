import { defineCommand } from '../../command.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, TURN_FLAGS } from '../common.ts';
import { preparePackage, requireOneSource } from '../package.ts';
import { runDeploy } from '../run-deploy.ts';

export const appsDeploy = defineCommand({
  name: 'apps deploy',
  group: 'Apps',
  summary: 'deploy a folder or an image, and tell how it ends',
  description:
    'A folder is packed as a zip: the same files give the same bytes. What .roundhouseignore names stays out, as do ' +
    '.git and the like, and .env files. It ends with 1 when the deploy failed, and says why; the release before it ' +
    'serves on. It waits for its turn while another deploy of the app runs. When it is broken off, the deploy goes on.',
  args: { name: APP_ARGUMENT, dir: { summary: 'the folder that the handler is in' } },
  flags: {
    image: { value: 'URI', summary: 'an image of ECR, or artifact:ID of an upload, in place of a folder' },
    create: { summary: 'make the app if it is not there, as app.json in the folder has it' },
    ...TURN_FLAGS,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF, { flags: ['detach', 'waitTimeout'] }],
  examples: [
    { what: 'A folder, as a new app', command: 'apps deploy json-api examples/apps/json-api --create' },
    {
      what: 'An image, without looking on',
      command: 'apps deploy shop --image 123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop:1.4 --detach',
    },
  ],
  async run({ flags, args: { name, dir } }, io) {
    const source = requireOneSource(dir, flags.image);
    const apps = await openApps(flags, io);
    const image = source.image ?? (await preparePackage(apps, name, source.dir, flags, io));
    return await runDeploy(apps, name, (once) => apps.deploy(name, image, once), flags, io);
  },
});
