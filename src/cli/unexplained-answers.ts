import { Option } from 'commander'
import { openUnexplainedAnswer } from '../admin/unexplained-answers.ts'
import {
  listUnexplainedAnswers,
  listUnexplainedNames,
  type UnexplainedFilter,
} from '../db/repositories/unexplained-answers.ts'
import { PROVIDER_NAMES } from '../domain/providers/provider.ts'
import { type OperatorCommand, parseText, parseUuid, requireFound } from './command-context.ts'

/** Registers the commands of unexplained responses (docs/production.md, "Unexplained answers"). */
export function registerUnexplainedAnswerCommands(trilho: OperatorCommand): void {
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
    .run(async ({ em, sealer, print, operator }, answer: string) => {
      const opened = await openUnexplainedAnswer(em, sealer, { uuid: answer, ...operator })
      print(requireFound(opened, `answer ${answer}`))
    })
}
