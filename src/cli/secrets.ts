import { resealSecrets } from '../admin/secret-resealing.ts'
import type { OperatorCommand } from './command-context.ts'

/** Rotation of TRILHO_SECRET_KEY: put a new key before the old one, run this command, remove the old one. */
export function registerSecretCommands(trilho: OperatorCommand) {
  trilho
    .auditedCommand('reseal')
    .description('encrypt every stored secret again with the first key of TRILHO_SECRET_KEY')
    .addHelpText(
      'after',
      '\nAn older key may be removed when no secret is left unopened and every workflow that started with it has ended.',
    )
    .run(async ({ audit, sealer, print }) => {
      const { keyId } = sealer
      const results = await audit({
        action: 'reseal',
        subject: `key/${keyId}`,
        work: em => resealSecrets(em, sealer),
      })
      results.forEach(print)
      const unopened = results.reduce((sum, one) => sum + one.unopened, 0)
      print({ key_id: keyId, unopened })
      if (unopened > 0) process.exitCode = 1
    })
}
