import { randomUUID } from 'node:crypto'
import { Argument, type Command, Option } from 'commander'
import { checkLedger, checkProviders } from '../admin/check-ledger.ts'
import { unknownOutcomes } from '../dashboard/operator/watch.ts'
import { migrate } from '../db/orm.ts'
import { MONEY_OUT, type MoneyOut, type SeenAttempt } from '../domain/money-out.ts'
import { settleUnknown } from '../engine/settle.ts'
import type { OperatorsWord } from '../workflows/messages.ts'
import type { ReconciliationPeriod, reconciliationWorkflow } from '../workflows/reconciliation.ts'
import { acts, type By, type Desk, hours, required, sendings, uuid, withEngine } from './tools.ts'

/** The schema, the ledger, the statements, and what no provider can tell. */
export function moneyCommands(trilho: Command, { withTools, print }: Desk): void {
  trilho
    .command('migrate')
    .description('bring the database schema up to date')
    .action(() => withTools(({ config }) => migrate(config.databaseUrl)))

  trilho
    .command('check-ledger')
    .description(
      'check that movements add up to zero, balances are the fold of postings, and what is held or waits has its life',
    )
    .option('--providers', 'also compare with what each provider says it holds')
    .action(options =>
      withTools(async ({ em, providers }) => {
        const violations = await checkLedger(em)
        if (options.providers) violations.push(...(await checkProviders(em, providers)))
        violations.forEach(print)
        print({ violations: violations.length })
        if (violations.length > 0) process.exitCode = 1
      }),
    )

  trilho
    .command('reconcile')
    .description(
      'compare every provider’s statement with ours now, repair what lost notices left, show the rest',
    )
    .option('--hours <hours>', 'how far back', hours, 48)
    .action((period: ReconciliationPeriod) =>
      withTools(({ em, config }) =>
        withEngine(config, async ({ taskQueue }, client) => {
          const results = await client.workflow.execute<typeof reconciliationWorkflow>(
            'reconciliationWorkflow',
            {
              workflowId: `reconciliation/${randomUUID()}`,
              taskQueue,
              args: [period],
            },
          )
          results.forEach(print)
          const open = await em.execute('select * from difference where settled_at is null order by found_at')
          open.forEach(print)
          const unknown = {
            not_compared: results.filter(one => one.noAnswer !== undefined).length,
            disputes_not_listed: results.filter(one => one.medsNoAnswer !== undefined).length,
          }
          print({ differences: open.length, ...unknown })
          if (open.length + unknown.not_compared + unknown.disputes_not_listed > 0) process.exitCode = 1
        }),
      ),
    )

  trilho
    .command('unknown')
    .description(
      'list the transfers, refunds and returns whose outcome no provider has told, with the attempt and sending that `settle` names',
    )
    .action(() =>
      withTools(async ({ em }) => {
        for (const one of await unknownOutcomes(em))
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
      }),
    )

  acts(trilho.command('settle'))
    .addArgument(new Argument('<noun>').choices(MONEY_OUT))
    .argument('<uuid>', 'of the transfer, the refund, or the PIX that is returned', uuid)
    .description(
      'end an unknown transfer, refund or return that no provider can tell about; refused where it has changed since',
    )
    .requiredOption(
      '--attempt <uuid>',
      'the attempt at the provider that was asked, as `unknown` lists it',
      uuid,
    )
    .requiredOption('--sending <number>', 'how often it had been sent, as `unknown` lists it', sendings)
    .addOption(new Option('--as <outcome>').choices(['settled', 'rejected']).makeOptionMandatory())
    .option('--end-to-end <id>', 'of the settled PIX')
    .action((noun: MoneyOut, subject: string, options: By & WordOptions) =>
      withTools(({ em, config }) => {
        const word = wordOf(options)
        return withEngine(config, async engine => {
          print({ told: await settleUnknown(engine, em, { noun, uuid: subject, word, who: options.by }) })
        })
      }),
    )
}

type WordOptions = SeenAttempt & { as: 'settled' | 'rejected'; endToEnd?: string }

function wordOf({ as, endToEnd, reason, attempt, sending }: By & WordOptions): OperatorsWord {
  const seen = { attempt, sending }
  if (as === 'rejected') {
    if (endToEnd !== undefined) throw new Error('--end-to-end is only of what was settled')
    return { ...seen, as, reason }
  }
  return { ...seen, as, endToEnd: required(endToEnd, '--end-to-end'), reason }
}
