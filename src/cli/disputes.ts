import { recordContest } from '../admin/contests.ts'
import { listWaitingContests } from '../db/repositories/operator-lists.ts'
import { type ContestRecord, contestMachine } from '../domain/disputes/contest.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { openStorage } from '../storage/storage.ts'
import { type AuditedContext, type OperatorCommand, parseUuid } from './command-context.ts'

export function registerDisputeCommands(trilho: OperatorCommand) {
  const contest = trilho.command('contest')

  contest
    .command('list')
    .description(
      'list contests of returns that were not handed to their provider, or not decided there; the oldest first',
    )
    .run(async ({ em, print }) => {
      for (const one of await listWaitingContests(em))
        print({
          dispute: one.uuid,
          account: one.account_name,
          provider: one.provider,
          provider_dispute_id: one.provider_dispute_id,
          end_to_end: one.end_to_end,
          returned: textFromCents(one.returned_cents),
          status: contestMachine.statusOf(one.state),
          ...(one.protocol !== null && { protocol: one.protocol }),
          created_at: one.created_at,
        })
    })

  const recordCommand = (name: string, description: string) =>
    contest.auditedCommand(name).argument('<dispute>', 'dispute UUID', parseUuid).description(description)
  const record = async (
    { em, print, config, operator }: AuditedContext,
    disputeUuid: string,
    progress: ContestRecord,
  ) => {
    const storage = await openStorage(config)
    const hasChanged = await recordContest(em, storage, { disputeUuid, record: progress, by: operator })
    print({ dispute: disputeUuid, changed: hasChanged })
  }

  recordCommand('sent', 'record that a contest was handed to the provider')
    .requiredOption('--protocol <text>', "the provider's reference of it, at most 100 characters")
    .run((context, disputeUuid: string, { protocol }: { protocol: string }) => {
      if (!/^.{1,100}$/u.test(protocol)) throw new Error('--protocol must have 1 to 100 characters')
      return record(context, disputeUuid, { event: 'sent', protocol })
    })

  recordCommand(
    'accepted',
    'record that the provider has accepted a contest, and what has credited the money',
  )
    .requiredOption('--movement <uuid>', 'the deposit, credit or correction of the ledger', parseUuid)
    .run((context, disputeUuid: string, { movement }: { movement: string }) =>
      record(context, disputeUuid, { event: 'accepted', movementUuid: movement }),
    )

  recordCommand('rejected', 'record that the provider has rejected a contest').run(
    (context, disputeUuid: string) => record(context, disputeUuid, { event: 'rejected' }),
  )
}
