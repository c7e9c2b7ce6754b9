import { afterAll, describe, expect, test } from '@jest/globals'
import type {
  DocumentedAnswer,
  DocumentedAnswers,
} from '../../../src/providers/adapter/documented-answers.ts'
import type {
  RecordUnexplainedAnswer,
  UnexplainedAnswer,
} from '../../../src/providers/adapter/unexplained-answers.ts'
import type { OpenConnectionPool } from '../../../src/providers/http/connection-pool.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { createScriptedPool, type HttpAnswer, type PoolScript } from './scripted-connection-pool.ts'
import { createUndocumentedAnswers } from './undocumented-answers.ts'

type Adapter = Provider & { close(): Promise<void> }
type CallOutcome = { kind: string; code?: string; finality?: string }

/** How one call of a table is provoked, and its outcomes. */
export type CallUnderTest = {
  make(provider: Provider): Promise<CallOutcome>
  /** The outcome of an answer that proves nothing; `found`: what the call is about is known without this answer. */
  unprovenKind: 'unknown' | 'no_answer' | 'found'
  /** The outcome of a listed absence, where that is not `not_found` of a lookup and `unknown` of anything else. */
  absent?: CallOutcome
  /** Method and path of the requests that the table is about, where that is not the first request. */
  requestPath?: RegExp
  /** The answer to every other request; otherwise the same one. */
  others?: HttpAnswer
  /** The outcome of a listed refusal, where it is not `rejected` or `no_answer` with the table's code. */
  refused?(answer: DocumentedAnswer): CallOutcome | undefined
}

export type ProviderApiUnderTest<Call extends string> = {
  name: string
  answers: DocumentedAnswers<Call>
  /** An adapter over this connection pool. */
  open(options: { openPool: OpenConnectionPool; recordUnexplained: RecordUnexplainedAnswer }): Adapter
  /** The body in which a provider gives a name, with its status. */
  bodyOf(name: string, status: number): unknown
  calls: Record<Call, CallUnderTest>
  /** How often each call gets an undocumented answer. */
  times: number
  seed: number
}

/**
 * Tests an adapter against its whole table: each documented answer of a call has the outcome of the table; an answer
 * documented for other calls only, or under another status, proves nothing here; nor does a generated one. An answer
 * that proves nothing is recorded.
 */
export function describeAnswers<Call extends string>(dialect: ProviderApiUnderTest<Call>): void {
  const { answers, bodyOf } = dialect
  const names = Object.keys(answers) as Call[]
  const everywhere = names.flatMap(call => answers[call])
  const buildAnswer = ({ name, status }: Pick<DocumentedAnswer, 'name' | 'status'>): HttpAnswer => ({
    status,
    body: JSON.stringify(bodyOf(name, status)),
  })

  describe.each(names)(`${dialect.name}: %s`, call => {
    const callAnswers = answers[call]
    const isOwn = (one: DocumentedAnswer) =>
      callAnswers.some(({ name, status }) => name === one.name && status === one.status)
    const foreign = everywhere.filter(one => !isOwn(one))
    const misplaced = callAnswers
      .map(one => ({ ...one, status: one.status === 409 ? 400 : 409 }))
      .filter(one => !isOwn(one))

    const { makeCall, close } = openCall(dialect, call)
    afterAll(close)

    for (const one of callAnswers)
      test(`${one.status} ${one.name}`, async () => {
        const { outcome, recorded } = await makeCall(buildAnswer(one))
        expect(outcome).toMatchObject(expectedOutcomeOf(dialect.calls[call], one))
        if (!dialect.calls[call].others) expect(recorded).toEqual([])
      })

    test('an answer documented for other calls, or under another status, proves nothing', async () => {
      for (const one of [...foreign, ...misplaced])
        expect(await checkProof(makeCall, dialect.calls[call], buildAnswer(one))).toEqual(PROVES_NOTHING)
    })

    test(`${dialect.times} undocumented answers prove nothing`, async () => {
      const random = createSeededRandom(dialect.seed)
      const next = createUndocumentedAnswers({ random, own: callAnswers, everywhere, bodyOf })
      for (let times = 0; times < dialect.times; times++)
        expect(await checkProof(makeCall, dialect.calls[call], next())).toEqual(PROVES_NOTHING)
    })
  })
}

function expectedOutcomeOf(call: CallUnderTest, answer: DocumentedAnswer): CallOutcome {
  const { meaning } = answer
  switch (meaning.kind) {
    case 'not_found':
      return call.absent ?? { kind: call.unprovenKind === 'unknown' ? 'unknown' : 'not_found' }
    case 'duplicate':
      return { kind: call.unprovenKind }
    case 'refused': {
      const { code, finality } = meaning
      const usual =
        call.unprovenKind === 'unknown' ? { kind: 'rejected', code, finality } : { kind: 'no_answer', code }
      return call.refused?.(answer) ?? usual
    }
  }
}

const PROVES_NOTHING = { answer: undefined, proved: false, isRecorded: true }

type MakeCall = (answer: HttpAnswer) => Promise<{ outcome: CallOutcome; recorded: UnexplainedAnswer[] }>

/** Names the answer where it proves something or is not recorded, so that the failure shows it. */
async function checkProof(makeCall: MakeCall, { unprovenKind }: CallUnderTest, answer: HttpAnswer) {
  const { outcome, recorded } = await makeCall(answer)
  const proved = outcome.kind !== unprovenKind
  const isRecorded = recorded.some(({ status, body }) => status === answer.status && body === answer.body)
  return { answer: proved || !isRecorded ? answer : undefined, proved, isRecorded }
}

/** Opens an adapter that makes one call as often as asked, each time with another answer. */
function openCall<Call extends string>(dialect: ProviderApiUnderTest<Call>, call: Call) {
  const { make, requestPath, others } = dialect.calls[call]
  const script: PoolScript = { answer: { status: 500, body: '' }, requestPath, others }
  let recorded: UnexplainedAnswer[] = []
  const adapter = dialect.open({
    openPool: createScriptedPool(script),
    recordUnexplained: async answer => void recorded.push(answer),
  })
  return {
    async makeCall(answer: HttpAnswer) {
      script.answer = answer
      recorded = []
      return { outcome: await make(adapter), recorded }
    },
    close: () => adapter.close(),
  }
}
