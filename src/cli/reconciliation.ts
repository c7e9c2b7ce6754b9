import { randomUUID } from 'node:crypto'
import { Argument } from 'commander'
import { confirmChargeExpiry } from '../admin/charge-expiry.ts'
import { checkProviderBalances } from '../admin/ledger-check.ts'
import { requestManualSettlement } from '../admin/manual-settlement.ts'
import { migrate } from '../db/client/migrate.ts'
import { listChargesPastExpiry } from '../db/repositories/charge-expiries.ts'
import { listUnsettledDifferences } from '../db/repositories/differences.ts'
import { checkLedger } from '../db/repositories/ledger-rules.ts'
import { listUnknownOutcomes } from '../db/repositories/operator-lists.ts'
import { rebuildWorkflows } from '../disaster-recovery/rebuild.ts'
import type { AttemptVersion } from '../domain/providers/attempt.ts'
import { PAYOUT_NOUNS, type PayoutNoun } from '../domain/shared/nouns.ts'
import {
  RECONCILIATION_WORKFLOW,
  type ReconciliationInput,
  type ReconciliationWorkflowSignature,
} from '../workflows/contracts/maintenance.ts'
import type { ManualSettlement } from '../workflows/contracts/payouts.ts'
import {
  type OperatorCommand,
  parseHours,
  parsePastInstant,
  parseReais,
  parseSendCount,
  parseText,
  parseUuid,
  requireOption,
  withWorkflowClient,
} from './command-context.ts'

/** Registers the commands that compare what is stored with Temporal and the providers, and end what they do not end. */
export function registerReconciliationCommands(trilho: OperatorCommand): void {
  registerChecks(trilho)
  registerSettlementCommands(trilho)
  registerChargeCommands(trilho)
  registerRebuildCommand(trilho)
}

function registerChecks(trilho: OperatorCommand) {
  trilho.command('migrate').run(({ config }) => migrate(config.databaseUrl))

  trilho
    .command('check-ledger')
    .option('--providers', 'also compare with the balance that each provider reports')
    .run(async ({ em, providers, print }, options: { providers?: boolean }) => {
      const violations = await checkLedger(em)
      if (options.providers) violations.push(...(await checkProviderBalances(em, providers)))
      violations.forEach(print)
      print({ violations: violations.length })
      if (violations.length > 0) process.exitCode = 1
    })

  trilho
    .command('reconcile')
    .option('--hours <hours>', 'length of the period up to now', parseHours, 48)
    .run(({ em, config, print }, period: ReconciliationInput) =>
      withWorkflowClient(config, async ({ taskQueue }, client) => {
        const results = await client.workflow.execute<ReconciliationWorkflowSignature>(
          RECONCILIATION_WORKFLOW,
          { workflowId: `reconciliation/${randomUUID()}`, taskQueue, args: [period] },
        )
        results.forEach(print)
        const differences = await listUnsettledDifferences(em)
        differences.forEach(print)
        const counts = {
          not_compared: results.filter(one => one.noAnswer !== undefined).length,
          disputes_not_listed: results.filter(one => one.disputesNoAnswer !== undefined).length,
        }
        print({ differences: differences.length, ...counts })
        if (differences.length + counts.not_compared + counts.disputes_not_listed > 0) process.exitCode = 1
      }),
    )
}

function registerSettlementCommands(trilho: OperatorCommand) {
  trilho.command('unknown').run(async ({ em, print }) => {
    for (const one of await listUnknownOutcomes(em))
      print({
        noun: one.operation,
        uuid: one.subject_uuid,
        attempt: one.attempt,
        sending: one.sending,
        provider: one.provider,
        state: one.state,
        code: one.code,
        cents: Number(one.cents),
        unknown_since: one.unknown_since,
      })
  })

  trilho
    .auditedCommand('settle')
    .addArgument(new Argument('<noun>').choices(PAYOUT_NOUNS))
    .argument('<uuid>', 'UUID of the transfer, the refund, or the returned PIX', parseUuid)
    .requiredOption('--attempt <uuid>', 'the attempt, as listed by `unknown`', parseUuid)
    .requiredOption(
      '--sending <number>',
      'number of sends of the attempt, as listed by `unknown`',
      parseSendCount,
    )
    .choice('--as <outcome>', ['settled', 'rejected'])
    .option('--end-to-end <id>', 'end-to-end id of the settled PIX')
    .option(
      '--merchant-text <text>',
      'what the merchant reads about a rejection; never the reason',
      parseText,
    )
    .run(({ em, config, print, operator }, noun: PayoutNoun, uuid: string, options: SettleOptions) => {
      const { actor, reason } = operator
      const request = { noun, uuid, actor, settlement: buildManualSettlement(options, reason) }
      return withWorkflowClient(config, async temporal =>
        print({ signalled: await requestManualSettlement(temporal, em, request) }),
      )
    })
}

type SettleOptions = AttemptVersion & { as: 'settled' | 'rejected'; endToEnd?: string; merchantText?: string }

function buildManualSettlement(
  { as, endToEnd, attempt, sending, merchantText }: SettleOptions,
  reason: string,
): ManualSettlement {
  const expected = { attempt, sending }
  if (as === 'rejected') {
    if (endToEnd !== undefined) throw new Error('--end-to-end is allowed only with --as settled')
    return { ...expected, as, reason, ...(merchantText !== undefined && { merchantText }) }
  }
  if (merchantText !== undefined) throw new Error('--merchant-text is allowed only with --as rejected')
  return { ...expected, as, endToEnd: requireOption(endToEnd, '--end-to-end'), reason }
}

/** Charges that their providers do not end (docs/runbooks/charge-past-expiry.md). */
function registerChargeCommands(trilho: OperatorCommand) {
  const charges = trilho.command('charges')

  charges
    .command('past-expiry', { isDefault: true })
    .description(
      'list charges that have not ended a day after their expiry, with what was received and not matched',
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
    .run(({ em, config, providers, print, operator }, uuid: string, options: { received: number }) => {
      const confirmation = { uuid, receivedCents: options.received, ...operator }
      return withWorkflowClient(config, async temporal =>
        print({ signalled: await confirmChargeExpiry({ temporal, providers }, em, confirmation) }),
      )
    })
}

function registerRebuildCommand(trilho: OperatorCommand) {
  trilho
    .auditedCommand('rebuild')
    .requiredOption('--since <moment>', 'time of the restored data, or earlier; ISO 8601', parsePastInstant)
    .run(({ em, config, print, operator }, { since }: { since: Date }) =>
      withWorkflowClient(config, async temporal => {
        const counts: Record<string, number> = { rebuilt: 0, under_way: 0, impossible: 0 }
        for await (const rebuilt of rebuildWorkflows(temporal, em, { since, ...operator })) {
          print(rebuilt)
          counts[rebuilt.outcome] = (counts[rebuilt.outcome] ?? 0) + 1
        }
        print(counts)
        if (counts.impossible) process.exitCode = 1
      }),
    )
}
