import { type Command, Option } from 'commander'
import {
  listUnexplainedAnswers,
  listUnexplainedNames,
  type UnexplainedFilter,
} from '../db/repositories/unexplained-answers.ts'
import { PROVIDER_NAMES } from '../domain/providers/provider.ts'
import { openUnexplainedAnswer } from '../provider-notifications/unexplained-answers.ts'
import {
  type ActorOptions,
  addActorOptions,
  type CommandEnvironment,
  parseText,
  parseUuid,
  requireFound,
} from './command-context.ts'

/** What providers answered that no published document explains (docs/production.md, "Unexplained answers"). */
export function registerUnexplainedAnswerCommands(
  trilho: Command,
  { withContext: withTools, print }: CommandEnvironment,
): void {
  const answers = trilho
    .command('answers')
    .description('show what providers answered that their documents do not explain')

  answers
    .command('names', { isDefault: true })
    .description('how often each name came, the latest first')
    .action(() => withTools(async ({ em }) => (await listUnexplainedNames(em)).forEach(print)))

  answers
    .command('list')
    .description('answers without their bodies, the latest first')
    .option('--reference <id>', 'our id at the provider: a uuid without hyphens', parseText)
    .addOption(new Option('--provider <provider>').choices(PROVIDER_NAMES))
    .option('--operation <operation>', 'of the provider port', parseText)
    .option('--name <name>', 'the provider’s name for it', parseText)
    .action((filter: UnexplainedFilter) =>
      withTools(async ({ em }) => (await listUnexplainedAnswers(em, filter)).forEach(print)),
    )

  addActorOptions(answers.command('show'))
    .argument('<uuid>', 'of the answer', parseUuid)
    .description('one answer as it came; who opens it and why is kept in the log of acts')
    .action((answer: string, { by, reason }: ActorOptions) =>
      withTools(async ({ em, sealer: seal }) => {
        const opened = await openUnexplainedAnswer(em, seal, { uuid: answer, who: by, reason })
        print(requireFound(opened ?? null, `answer ${answer}`))
      }),
    )
}
