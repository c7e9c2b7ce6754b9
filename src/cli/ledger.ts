import { approveAdjustment, PROPOSAL_DAYS, proposeAdjustment } from '../admin/ledger-adjustments.ts'
import { archiveLedger } from '../admin/ledger-archives.ts'
import { listOpenAccountEntries } from '../db/repositories/account-entries.ts'
import { listAdjustments } from '../db/repositories/ledger-adjustments.ts'
import { type LedgerArchive, listLedgerArchives } from '../db/repositories/ledger-archives.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { openStorage } from '../storage/storage.ts'
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

  ledger
    .auditedCommand('archive', { isRoutine: true })
    .description(
      'write the months that are over and not archived to the file storage, as maintenance does every six hours',
    )
    .run(async ({ em, print, config, operator }) => {
      const storage = await openStorage(config)
      for await (const archive of archiveLedger(em, storage, operator)) print(showArchive(archive))
    })

  ledger
    .command('archives')
    .description('list the archived months, with key and digest of their files')
    .run(async ({ em, print }) => {
      for (const archive of await listLedgerArchives(em))
        print({ ...showArchive(archive), archived_at: archive.archivedAt })
    })
}

/** `sha256`: of the lines, as `gunzip -c <file> | sha256sum` prints it. */
const showArchive = ({ month, storageKey, sha256, sizeBytes, lineCount }: LedgerArchive) => ({
  month,
  file: storageKey,
  sha256,
  bytes: sizeBytes,
  lines: lineCount,
})

type AdjustOptions = { connection: string; value: number; direction: 'IN' | 'OUT'; entry?: string }
