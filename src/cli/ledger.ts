import { approveAdjustment, PROPOSAL_DAYS, proposeAdjustment } from '../admin/ledger-adjustments.ts'
import { listOpenAccountEntries } from '../db/repositories/account-entries.ts'
import { listAdjustments } from '../db/repositories/ledger-adjustments.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { type OperatorCommand, parseReais, parseUuid } from './command-context.ts'

export function registerLedgerCommands(trilho: OperatorCommand) {
  const ledger = trilho.command('ledger')

  ledger
    .auditedCommand('adjust')
    .argument('<account>', 'account UUID', parseUuid)
    .description(
      `propose a correction of the balance of an account at a provider; another operator approves it within ${PROPOSAL_DAYS} days`,
    )
    .requiredOption('--connection <uuid>', 'connection to the provider account', parseUuid)
    .requiredOption('--value <reais>', 'amount in reais, above zero', parseReais)
    .choice('--direction <direction>', ['IN', 'OUT'], 'IN is a credit, OUT is a debit')
    .option(
      '--entry <uuid>',
      'entry of the statement that the correction explains; see `trilho ledger entries`',
      parseUuid,
    )
    .run(async ({ orm, print, operator }, accountUuid: string, options: AdjustOptions) => {
      if (options.value === 0) throw new Error('--value must be above zero')
      const proposal = await proposeAdjustment(orm, {
        accountUuid,
        connectionUuid: options.connection,
        direction: options.direction,
        cents: options.value,
        entryUuid: options.entry ?? null,
        operatorEmail: operator.actor,
        reason: operator.reason,
      })
      print({ adjustment: proposal, proposed_by: operator.actor })
    })

  ledger
    .auditedCommand('approve', { isRoutine: true })
    .argument('<adjustment>', 'its uuid', parseUuid)
    .description('approve and book a correction that another operator proposed')
    .run(async ({ orm, print, config, operator: { actor, reason } }, adjustment: string) => {
      const { timeScale } = config
      const approval = { uuid: adjustment, operatorEmail: actor, reason, timeScale }
      print({ adjustment, movement: await approveAdjustment(orm, approval) })
    })

  ledger
    .command('adjustments')
    .description('list corrections that can still be approved')
    .option('--all', 'also list booked and expired corrections', false)
    .run(async ({ em, print }, { all }: { all: boolean }) => {
      for (const one of await listAdjustments(em, { isOpen: !all }))
        print({
          adjustment: one.uuid,
          account: one.accountUuid,
          connection: one.connection.uuid,
          direction: one.direction,
          value: textFromCents(one.cents),
          reason: one.reason,
          ...(one.entryUuid && { entry: one.entryUuid }),
          proposed_by: one.proposer.email,
          proposed_at: one.proposedAt,
          expires_at: one.expiresAt,
          ...(one.approver && { approved_by: one.approver.email, approved_at: one.approvedAt }),
          ...(one.movementUuid && { movement: one.movementUuid }),
        })
    })

  ledger
    .command('entries')
    .description('list entries of provider statements that are not PIX and match nothing in the ledger')
    .run(async ({ em, print }) => {
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
    })
}

type AdjustOptions = { connection: string; value: number; direction: 'IN' | 'OUT'; entry?: string }
