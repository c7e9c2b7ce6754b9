import { confirmChargeExpiry } from '../admin/charge-expiry.ts'
import { listChargesPastExpiry } from '../db/repositories/charge-expiries.ts'
import { type OperatorCommand, parseReais, parseUuid, withWorkflowClient } from './command-context.ts'

/** Registers the commands of charges that their providers do not end (docs/runbooks/charge-past-expiry.md). */
export function registerChargeCommands(trilho: OperatorCommand): void {
  const charges = trilho.command('charges')

  charges
    .command('past-expiry', { isDefault: true })
    .description(
      'list charges that are PENDING a day after their expiry, with what was received and not matched',
    )
    .run(async ({ em, print }) => (await listChargesPastExpiry(em)).forEach(print))

  charges
    .auditedCommand('expire')
    .argument('<uuid>', 'UUID of the charge', parseUuid)
    .description(
      'confirm that such a charge was not paid: it ends as EXPIRED if its provider lists no payment of it an hour later',
    )
    .requiredOption(
      '--received <reais>',
      'what was received and not matched, as listed by `past-expiry`',
      parseReais,
    )
    .run(
      (
        { em, config, providers, print, operator },
        uuid: string,
        { received: receivedCents }: ExpireOptions,
      ) =>
        withWorkflowClient(config, async temporal =>
          print({
            signalled: await confirmChargeExpiry({ temporal, providers }, em, {
              uuid,
              receivedCents,
              ...operator,
            }),
          }),
        ),
    )
}

type ExpireOptions = { received: number }
