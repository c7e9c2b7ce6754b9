import { type Command, Option } from 'commander'
import { approveAdjustment, PROPOSAL_DAYS, proposeAdjustment } from '../activities/adjustments.ts'
import { openAccountEntries } from '../db/account-entries.ts'
import { adjustments } from '../db/adjustments.ts'
import { textFromCents } from '../domain/money.ts'
import { acts, type By, centsOfText, type Desk, uuid } from './tools.ts'

/** Money at providers that no operation of ours moved: what statements list, and corrections by two operators. */
export function ledgerCommands(trilho: Command, { withTools, print }: Desk): void {
  const ledger = trilho
    .command('ledger')
    .description('what moved at providers without an order of ours, and corrections of the ledger')

  acts(ledger.command('adjust'))
    .argument('<account>', 'its uuid', uuid)
    .description(
      `propose a correction of what an account has at a provider; another operator approves it within ${PROPOSAL_DAYS} days`,
    )
    .requiredOption('--connection <uuid>', 'to the provider account where the money is', uuid)
    .requiredOption('--value <reais>', 'above zero', centsOfText)
    .addOption(
      new Option('--direction <direction>', 'IN adds, OUT takes')
        .choices(['IN', 'OUT'])
        .makeOptionMandatory(),
    )
    .option(
      '--entry <uuid>',
      'of the statement that it explains, as `trilho ledger entries` lists them',
      uuid,
    )
    .action((accountUuid: string, options: By & AdjustOptions) =>
      withTools(async ({ orm }) => {
        if (options.value === 0) throw new Error('--value is above zero')
        const proposal = await proposeAdjustment(orm, {
          ...{ accountUuid, connectionUuid: options.connection, direction: options.direction },
          ...{ cents: options.value, entryUuid: options.entry ?? null },
          ...{ who: options.by, reason: options.reason },
        })
        print({ adjustment: proposal, proposed_by: options.by })
      }),
    )

  acts(ledger.command('approve'), { isRoutine: true })
    .argument('<adjustment>', 'its uuid', uuid)
    .description('book a correction that another operator proposed')
    .action((adjustment: string, { by, reason }: By) =>
      withTools(async ({ orm }) => {
        print({ adjustment, movement: await approveAdjustment(orm, { uuid: adjustment, who: by, reason }) })
      }),
    )

  ledger
    .command('adjustments')
    .description('list proposals that can still be approved')
    .option('--all', 'also those that are booked or have expired', false)
    .action(({ all }: { all: boolean }) =>
      withTools(async ({ em }) => {
        for (const one of await adjustments(em, { isOpen: !all }))
          print({
            adjustment: one.uuid,
            account: one.accountUuid,
            connection: one.connectionUuid,
            direction: one.direction,
            value: textFromCents(one.cents),
            reason: one.reason,
            ...(one.entryUuid && { entry: one.entryUuid }),
            proposed_by: one.proposer,
            proposed_at: one.proposedAt,
            expires_at: one.expiresAt,
            ...(one.approver && { approved_by: one.approver, approved_at: one.approvedAt }),
            ...(one.movementUuid && { movement: one.movementUuid }),
          })
      }),
    )

  ledger
    .command('entries')
    .description('list entries of providers’ statements that are no PIX and that nothing accounts for yet')
    .action(() =>
      withTools(async ({ em }) => {
        for (const entry of await openAccountEntries(em))
          print({
            entry: entry.uuid,
            provider_account: entry.providerAccountUuid,
            kind: entry.kind,
            type: entry.type,
            id: entry.entryId,
            value: textFromCents(entry.cents),
            at: entry.movedAt,
          })
      }),
    )
}

type AdjustOptions = { connection: string; value: number; direction: 'IN' | 'OUT'; entry?: string }
