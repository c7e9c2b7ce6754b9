import { resealSecrets } from '../admin/secret-resealing.ts'
import { type ActorOptions, addActorOptions, type OperatorCommand, runAudited } from './command-context.ts'

/** Rotation of TRILHO_SECRET_KEY: put a new key before the old one, run this command, remove the old one. */
export function registerSecretCommands(trilho: OperatorCommand) {
  addActorOptions(trilho.command('reseal'))
    .description('encrypt every stored secret again with the first key of TRILHO_SECRET_KEY')
    .addHelpText(
      'after',
      '\nAn older key may be removed when no secret is left unopened and every workflow that started with it has ended.',
    )
    .run(async (tools, actor: ActorOptions) => {
      const { keyId } = tools.sealer
      const results = await runAudited(tools, actor, {
        action: 'reseal',
        subject: `key/${keyId}`,
        work: em => resealSecrets(em, tools.sealer),
      })
      results.forEach(tools.print)
      const unopened = results.reduce((sum, one) => sum + one.unopened, 0)
      tools.print({ key_id: keyId, unopened })
      if (unopened > 0) process.exitCode = 1
    })
}
