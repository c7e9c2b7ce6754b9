import { resealSecrets } from '../admin/secret-resealing.ts'
import type { OperatorCommand } from './command-context.ts'

/** Rotation of TRILHO_SECRET_KEY: put a new key before the old one, run this command, remove the old one. */
export function registerSecretCommands(trilho: OperatorCommand) {
  trilho
    .auditedCommand('reseal')
    .addHelpText(
      'after',
      '\nIt changes a few rows at a time, during operation, and may be interrupted and run again. Each line of the output\nis a column: `left` counts its rows that still need an older key. That key may be removed when nothing is left or\nunopened and every workflow that started with it has ended.',
    )
    .run(async ({ em, operator, sealer, print }) => {
      const { keyId } = sealer
      const total = { unopened: 0, left: 0 }
      for await (const result of resealSecrets(em, { ...operator, sealer })) {
        print(result)
        total.unopened += result.unopened
        total.left += result.left
      }
      print({ key_id: keyId, ...total })
      if (total.unopened + total.left > 0) process.exitCode = 1
    })
}
