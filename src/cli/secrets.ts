import { Option } from 'commander'
import { openUnexplainedAnswer, resealSecrets } from '../admin/secrets.ts'
import { PasswordReset, type PasswordResetMessage } from '../db/entities/password-reset.ts'
import { AuthCode, type CodeMessage } from '../db/entities/pix-key.ts'
import {
  listUnexplainedAnswers,
  listUnexplainedNames,
  type UnexplainedFilter,
} from '../db/repositories/unexplained-answers.ts'
import { PROVIDER_NAMES } from '../domain/providers/provider.ts'
import { type OperatorCommand, parseText, parseUuid, requireFound } from './command-context.ts'

/** Registers the commands over what is stored sealed. */
export function registerSecretCommands(trilho: OperatorCommand): void {
  registerResealCommand(trilho)
  registerOutboxCommand(trilho)
  registerAnswerCommands(trilho)
}

/** Rotation of TRILHO_SECRET_KEY: put a new key before the old one, run this command, remove the old one. */
function registerResealCommand(trilho: OperatorCommand) {
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

const MAX_LISTED_CODES = 50

/** Lists auth codes and links for which no carrier is configured. */
function registerOutboxCommand(trilho: OperatorCommand) {
  trilho.command('outbox').run(async ({ em, sealer, print }) => {
    const rows = await em.find(
      AuthCode,
      { sealedMessage: { $ne: null } },
      { orderBy: [{ createdAt: 'desc' }, { uuid: 'desc' }], limit: MAX_LISTED_CODES },
    )
    for (const { uuid, type, sealedMessage, delivery, expiresAt } of rows) {
      const { to, code } = sealer.open<CodeMessage>(sealedMessage!)
      const expires_at = expiresAt.toISOString()
      print({ auth_code_id: uuid, type, to, auth_code: code, delivery, expires_at })
    }
    const resets = await em.find(
      PasswordReset,
      { sealedMessage: { $ne: null } },
      { orderBy: { createdAt: 'desc' }, limit: MAX_LISTED_CODES },
    )
    for (const { uuid, sealedMessage, expiresAt } of resets) {
      const { to, url } = sealer.open<PasswordResetMessage>(sealedMessage!)
      print({ password_reset_id: uuid, to, url, expires_at: expiresAt.toISOString() })
    }
  })
}

/** Unexplained responses of providers (docs/production.md, "Unexplained answers"). */
function registerAnswerCommands(trilho: OperatorCommand) {
  const answers = trilho.command('answers')

  answers
    .command('names', { isDefault: true })
    .description('count the responses by name, the latest first')
    .run(async ({ em, print }) => (await listUnexplainedNames(em)).forEach(print))

  answers
    .command('list')
    .description('list responses without their bodies, the latest first')
    .option('--reference <id>', 'our reference at the provider: a UUID without hyphens', parseText)
    .addOption(new Option('--provider <provider>').choices(PROVIDER_NAMES))
    .option('--operation <operation>', 'operation of the provider port', parseText)
    .option('--name <name>', 'code or name at the provider', parseText)
    .run(async ({ em, print }, filter: UnexplainedFilter) =>
      (await listUnexplainedAnswers(em, filter)).forEach(print),
    )

  answers
    .auditedCommand('show')
    .argument('<uuid>', 'UUID of the response', parseUuid)
    .description('show one response unchanged; operator and reason are recorded in the operator actions')
    .run(async ({ em, sealer, print, operator }, uuid: string) => {
      const answer = await openUnexplainedAnswer(em, sealer, { uuid, ...operator })
      print(requireFound(answer, `answer ${uuid}`))
    })
}
