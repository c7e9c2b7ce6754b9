import { type Command, Option } from 'commander'
import { approveAdjustment, PROPOSAL_DAYS, proposeAdjustment } from '../activities/ledger/adjustments.ts'
import { listOpenAccountEntries } from '../db/repositories/account-entries.ts'
import { listAdjustments } from '../db/repositories/ledger-adjustments.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import {
  type ActorOptions,
  addActorOptions,
  type CommandEnvironment,
  parseReais,
  parseUuid,
} from './command-context.ts'

/** Money at providers that no operation of ours moved: what statements list, and corrections by two operators. */
export function registerLedgerCommands(
  trilho: Command,
  { withContext: withTools, print }: CommandEnvironment,
): void {
  const ledger = trilho
    .command('ledger')
    .description('what moved at providers without an order of ours, and corrections of the ledger')

  addActorOptions(ledger.command('adjust'))
    .argument('<account>', 'its uuid', parseUuid)
    .description(
      `propose a correction of what an account has at a provider; another operator approves it within ${PROPOSAL_DAYS} days`,
    )
    .requiredOption('--connection <uuid>', 'to the provider account where the money is', parseUuid)
    .requiredOption('--value <reais>', 'above zero', parseReais)
    .addOption(
      new Option('--direction <direction>', 'IN adds, OUT takes')
        .choices(['IN', 'OUT'])
        .makeOptionMandatory(),
    )
    .option(
      '--entry <uuid>',
      'of the statement that it explains, as `trilho ledger entries` lists them',
      parseUuid,
    )
    .action((accountUuid: string, options: ActorOptions & AdjustOptions) =>
      withTools(async ({ orm }) => {
        if (options.value === 0) throw new Error('--value is above zero')
        const proposal = await proposeAdjustment(orm, {
          ...{ accountUuid, connectionUuid: options.connection, direction: options.direction },
          ...{ cents: options.value, entryUuid: options.entry ?? null },
          ...{ operatorEmail: options.by, reason: options.reason },
        })
        print({ adjustment: proposal, proposed_by: options.by })
      }),
    )

  addActorOptions(ledger.command('approve'), { isRoutine: true })
    .argument('<adjustment>', 'its uuid', parseUuid)
    .description('book a correction that another operator proposed')
    .action((adjustment: string, { by, reason }: ActorOptions) =>
      withTools(async ({ orm }) => {
        print({
          adjustment,
          movement: await approveAdjustment(orm, { uuid: adjustment, operatorEmail: by, reason }),
        })
      }),
    )

  ledger
    .command('adjustments')
    .description('list proposals that can still be approved')
    .option('--all', 'also those that are booked or have expired', false)
    .action(({ all }: { all: boolean }) =>
      withTools(async ({ em }) => {
        for (const one of await listAdjustments(em, { isOpen: !all }))
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
        for (const entry of await listOpenAccountEntries(em))
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
