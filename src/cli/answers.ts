import { type Command, Option } from 'commander'
import { type UnexplainedFilter, unexplainedAnswers, unexplainedNames } from '../db/unexplained.ts'
import { PROVIDER_NAMES } from '../domain/provider.ts'
import { openUnexplained } from '../engine/unexplained.ts'
import { acts, type By, type Desk, there, uuid, words } from './tools.ts'

/** What providers answered that no published document explains (docs/production.md, "Unexplained answers"). */
export function answerCommands(trilho: Command, { withTools, print }: Desk): void {
  const answers = trilho
    .command('answers')
    .description('show what providers answered that their documents do not explain')

  answers
    .command('names', { isDefault: true })
    .description('how often each name came, the latest first')
    .action(() => withTools(async ({ em }) => (await unexplainedNames(em)).forEach(print)))

  answers
    .command('list')
    .description('answers without their bodies, the latest first')
    .option('--reference <id>', 'our id at the provider: a uuid without hyphens', words)
    .addOption(new Option('--provider <provider>').choices(PROVIDER_NAMES))
    .option('--operation <operation>', 'of the provider port', words)
    .option('--name <name>', 'the provider’s name for it', words)
    .action((filter: UnexplainedFilter) =>
      withTools(async ({ em }) => (await unexplainedAnswers(em, filter)).forEach(print)),
    )

  acts(answers.command('show'))
    .argument('<uuid>', 'of the answer', uuid)
    .description('one answer as it came; who opens it and why is kept in the log of acts')
    .action((answer: string, { by, reason }: By) =>
      withTools(async ({ em, seal }) => {
        const opened = await openUnexplained(em, seal, { uuid: answer, who: by, reason })
        print(there(opened ?? null, `answer ${answer}`))
      }),
    )
}
