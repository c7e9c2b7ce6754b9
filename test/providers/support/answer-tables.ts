import { describe, expect, test } from '@jest/globals'
import type { DocumentedAnswer, DocumentedAnswers } from '../../../src/providers/documented.ts'
import type { OpenLines } from '../../../src/providers/lines.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { RecordUnexplained, UnexplainedAnswer } from '../../../src/providers/unexplained.ts'
import { seeded } from '../../domain/seeded.ts'
import { type BankAnswer, scriptedLines } from './scripted-lines.ts'
import { undocumentedAnswers } from './undocumented-answers.ts'

type Adapter = Provider & { close(): Promise<void> }
type Outcome = { kind: string; code?: string; finality?: string }

/** How one call of a table is provoked, and what its outcomes are. */
export type CallUnderTest = {
  make(provider: Provider): Promise<Outcome>
  /** What an answer that proves nothing comes to. */
  proves: 'unknown' | 'no_answer'
  /** What a listed absence comes to, where that is not `not_found` of a look-up and `unknown` of anything else. */
  absent?: Outcome
  /** The path of the requests that the table is about, where that is not the first one that is made. */
  asked?: RegExp
  /** What every other request is answered with; else the same. */
  others?: BankAnswer
  /** What a listed refusal comes to, where it is something else than `rejected` or `no_answer` with the table's code. */
  refused?(answer: DocumentedAnswer): Outcome | undefined
}

export type DialectUnderTest<Call extends string> = {
  name: string
  answers: DocumentedAnswers<Call>
  /** An adapter over these lines. */
  open(options: { lines: OpenLines; recordUnexplained: RecordUnexplained }): Adapter
  /** The body in which a provider says a name, with the status that it is said under. */
  bodyOf(name: string, status: number): unknown
  calls: Record<Call, CallUnderTest>
  /** Times that each call is answered with something undocumented. */
  times: number
  seed: number
}

/**
 * Drives an adapter over its whole table: each documented answer of a call comes to what the table says; each that is
 * documented for other calls only, or under another status, proves nothing here; and so does whatever a fuzz makes up. What
 * proves nothing is recorded.
 */
export function describeAnswers<Call extends string>(dialect: DialectUnderTest<Call>): void {
  const { answers, bodyOf } = dialect
  const names = Object.keys(answers) as Call[]
  const everywhere = names.flatMap(call => answers[call])
  const said = ({ name, status }: Pick<DocumentedAnswer, 'name' | 'status'>): BankAnswer => ({
    status,
    body: JSON.stringify(bodyOf(name, status)),
  })

  describe.each(names)(`${dialect.name}: %s`, call => {
    const own = answers[call]
    const isOwn = (one: DocumentedAnswer) =>
      own.some(({ name, status }) => name === one.name && status === one.status)
    const foreign = everywhere.filter(one => !isOwn(one))
    const misplaced = own
      .map(one => ({ ...one, status: one.status === 409 ? 400 : 409 }))
      .filter(one => !isOwn(one))

    test.each(own.map(one => [one.status, one.name, one] as const))('%d %s', async (_status, _name, one) => {
      const { outcome, recorded } = await answered(dialect, call, said(one))
      expect(outcome).toMatchObject(meantBy(dialect.calls[call], one))
      if (!dialect.calls[call].others) expect(recorded).toEqual([])
    })

    test('what is documented for other calls, or under another status, proves nothing', async () => {
      for (const one of [...foreign, ...misplaced])
        expect(await provedBy(dialect, call, said(one))).toEqual(NOTHING)
    })

    test(`${dialect.times} undocumented answers prove nothing`, async () => {
      const random = seeded(dialect.seed)
      const next = undocumentedAnswers({ random, own, everywhere, bodyOf })
      for (let times = 0; times < dialect.times; times++)
        expect(await provedBy(dialect, call, next())).toEqual(NOTHING)
    })
  })
}

function meantBy(call: CallUnderTest, answer: DocumentedAnswer): Outcome {
  const { meaning } = answer
  switch (meaning.kind) {
    case 'absent':
      return call.absent ?? { kind: call.proves === 'unknown' ? 'unknown' : 'not_found' }
    case 'duplicate':
      return { kind: call.proves }
    case 'refused': {
      const { code, finality } = meaning
      const usual =
        call.proves === 'unknown' ? { kind: 'rejected', code, finality } : { kind: 'no_answer', code }
      return call.refused?.(answer) ?? usual
    }
  }
}

const NOTHING = { answer: undefined, proved: false, isRecorded: true }

/** Names the answer where it proves something or is not recorded, so that a failure tells it. */
async function provedBy<Call extends string>(
  dialect: DialectUnderTest<Call>,
  call: Call,
  answer: BankAnswer,
) {
  const { outcome, recorded } = await answered(dialect, call, answer)
  const proved = outcome.kind !== dialect.calls[call].proves
  const isRecorded = recorded.some(({ status, body }) => status === answer.status && body === answer.body)
  return { answer: proved || !isRecorded ? answer : undefined, proved, isRecorded }
}

async function answered<Call extends string>(
  dialect: DialectUnderTest<Call>,
  call: Call,
  answer: BankAnswer,
) {
  const recorded: UnexplainedAnswer[] = []
  const { asked, others } = dialect.calls[call]
  const lines = scriptedLines({ answer, asked, others })
  const recordUnexplained = async (one: UnexplainedAnswer) => void recorded.push(one)
  const adapter = dialect.open({ lines, recordUnexplained })
  const outcome = await dialect.calls[call].make(adapter)
  await adapter.close()
  return { outcome, recorded }
}
