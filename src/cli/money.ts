import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { checkLedger, checkProviders } from '../admin/check-ledger.ts'
import { migrate } from '../db/orm.ts'
import { type OperatorsWord, operatorSettles } from '../workflows/messages.ts'
import type { reconciliationWorkflow } from '../workflows/reconciliation.ts'
import { print, required, withTemporal, withTools } from './tools.ts'

/** The schema, the ledger, the statements, and what no provider can tell. */
export function moneyCommands(trilho: Command): void {
  trilho
    .command('migrate')
    .description('bring the database schema up to date')
    .action(() => withTools(({ orm }) => migrate(orm)))

  trilho
    .command('check-ledger')
    .description('check that every movement adds up to zero and every balance is the fold of its postings')
    .option('--providers', 'also compare with what each provider says it holds')
    .action(options =>
      withTools(async ({ em, providers, seal }) => {
        const violations = await checkLedger(em)
        if (options.providers) violations.push(...(await checkProviders(em, { providers, sealer: seal })))
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
    .option('--hours <hours>', 'how far back', '48')
    .action(options =>
      withTools(({ em, config }) =>
        withTemporal(config, async client => {
          const results = await client.workflow.execute<typeof reconciliationWorkflow>(
            'reconciliationWorkflow',
            {
              workflowId: `reconciliation/${randomUUID()}`,
              taskQueue: config.temporal.taskQueue,
              args: [{ hours: Number(options.hours) }],
            },
          )
          results.forEach(print)
          const open = await em.execute('select * from difference where settled_at is null order by found_at')
          open.forEach(print)
          if (open.length > 0) process.exitCode = 1
        }),
      ),
    )

  trilho
    .command('settle <noun> <uuid>')
    .description('end an unknown transfer, refund or return that no provider can tell about')
    .addOption(new Option('--as <outcome>').choices(['settled', 'rejected']).makeOptionMandatory())
    .requiredOption('--reason <reason>', 'kept with the attempt and in the log')
    .option('--end-to-end <id>', 'of the settled PIX')
    .action((noun: string, uuid: string, options) =>
      withTools(({ config }) =>
        withTemporal(config, async client => {
          const word: OperatorsWord =
            options.as === 'rejected'
              ? { as: 'rejected', reason: options.reason }
              : {
                  as: 'settled',
                  endToEnd: required(options.endToEnd, '--end-to-end'),
                  reason: options.reason,
                }
          await client.workflow.getHandle(`${noun}/${uuid}`).signal(operatorSettles, word)
          print({ told: `${noun}/${uuid}` })
        }),
      ),
    )
}
