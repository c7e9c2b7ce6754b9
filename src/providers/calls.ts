import { hash } from 'node:crypto'
import type { NoAnswer, NotFound, Rejected, Unknown, Unreachable } from '../domain/provider.ts'
import { finalityOf, isRailCode } from '../domain/rail-codes.ts'
import { type DocumentedAnswers, findDocumented, type Meaning, type NamedError } from './documented.ts'
import type { Answer, Reply } from './exchange.ts'
import type { Call } from './http.ts'
import { type ReadNotes, readNotes } from './reading.ts'
import type { RecordUnexplained, UnexplainedAnswer } from './unexplained.ts'

/** A request and what it is for: the call whose table explains its answers, and our id that it is about. */
export type ProviderCall<Name extends string> = Call & {
  call: Name
  /** Null for a list and for the account itself. */
  reference: string | null
  /** Of a list: the period that is asked for, ISO 8601 UTC. */
  period?: { from: string; to: string }
}

/**
 * How a good answer is read; undefined where it is not what the provider documents, or not what was asked for. `notes`
 * takes what is to be recorded of an answer.
 */
export type Read<T extends object> = (json: unknown, notes: ReadNotes) => T | undefined

export type Accepted<T extends object> = { kind: 'accepted' } & T
export type Found<T extends object> = { kind: 'found' } & T

/** What a dialect tells of its answers outside 2xx. */
export type AnswerDialect<Name extends string> = {
  answers: DocumentedAnswers<Name>
  /** Reads an error in a documented shape; undefined where the body has no such shape. */
  errorIn: (answer: Answer) => NamedError | undefined
}

/**
 * The calls of one adapter, and what each comes to. A documented refusal is a refusal and a documented absence an absence,
 * for the call that lists them; a request that never left is `unreachable`; every other answer proves nothing and is
 * recorded. Each call is made once: repeating it is the caller's decision.
 */
export function providerCalls<Name extends string>(
  exchange: (call: Call) => Promise<Reply>,
  { answers, errorIn }: AnswerDialect<Name>,
  record: RecordUnexplained = async () => {},
) {
  return {
    /** A call that changes something. */
    async send<T extends object>(
      call: ProviderCall<Name>,
      read: Read<T>,
    ): Promise<Accepted<T> | Rejected | Unreachable | Unknown> {
      const reply = await exchange(call)
      if (reply.kind === 'unreachable') return reply
      if (reply.kind === 'no_answer') return { ...reply, kind: 'unknown' }
      const answer = await explain(call, reply, read)
      switch (answer.kind) {
        case 'read':
          return { kind: 'accepted', ...answer.value }
        case 'refused':
          return answer.refusal
        case 'duplicate':
          return { kind: 'unknown', code: 'duplicate_id', message: answer.message }
        case 'absent':
          return { kind: 'unknown', code: 'not_found', message: answer.message }
        case 'unexplained':
          return { kind: 'unknown', code: answer.code, message: answer.message }
      }
    },

    lookUp,

    /** Of what always exists, as an account and its lists: a documented absence is no answer either. */
    async lookUpOwn<T extends object>(call: ProviderCall<Name>, read: Read<T>): Promise<Found<T> | NoAnswer> {
      const outcome = await lookUp(call, read)
      if (outcome.kind !== 'not_found') return outcome
      return { kind: 'no_answer', code: 'not_found', message: 'The provider does not know it' }
    },

    /** Records what a call site found unexplained beyond one answer. */
    record: (unexplained: UnexplainedAnswer) => record(unexplained),
  }

  /** A look-up: what it asks for is found, is absent by the provider's documented answer, or stays unknown. */
  async function lookUp<T extends object>(
    call: ProviderCall<Name>,
    read: Read<T>,
  ): Promise<Found<T> | NotFound | NoAnswer> {
    const reply = await exchange(call)
    if (reply.kind === 'unreachable') return { ...reply, kind: 'no_answer', inVain: true }
    if (reply.kind === 'no_answer') return reply
    const answer = await explain(call, reply, read)
    switch (answer.kind) {
      case 'read':
        return { kind: 'found', ...answer.value }
      case 'absent':
        return { kind: 'not_found' }
      case 'refused': {
        const { code, message } = answer.refusal
        return { kind: 'no_answer', code, message, inVain: true }
      }
      case 'duplicate':
        return { kind: 'no_answer', code: 'duplicate_id', message: answer.message, inVain: true }
      case 'unexplained':
        return { kind: 'no_answer', code: answer.code, message: answer.message }
    }
  }

  /** Reads an answer of success, and records what is left out of it or keeps it from being read. */
  async function readSuccess<T extends object>(
    call: ProviderCall<Name>,
    answer: Answer,
    read: Read<T>,
  ): Promise<T | undefined> {
    const { notes, leftOut, unlistedValue } = readNotes()
    const value = read(answer.json, notes)
    for (const { item, name } of leftOut) {
      const { period } = call
      const text = JSON.stringify(item) ?? ''
      await note(call, { ...answer, text }, { kind: 'unreadable_item', name, ...(period ? { period } : {}) })
    }
    const name = unlistedValue()
    if (!value) await note(call, answer, { kind: name ? 'unlisted_value' : 'unreadable_answer', name })
    return value
  }

  async function explain<T extends object>(
    call: ProviderCall<Name>,
    answer: Answer,
    read: Read<T>,
  ): Promise<Explanation<T>> {
    const { status } = answer
    if (status >= 200 && status < 300) {
      const value = await readSuccess(call, answer, read)
      return value ? { kind: 'read', value } : { kind: 'unexplained', ...UNREADABLE }
    }
    const error = errorIn(answer)
    const line = error && findDocumented(answers[call.call], status, error.name)
    if (line) return listed(line.meaning, error)
    await note(call, answer, { kind: 'unlisted_refusal', name: error?.name ?? '' })
    return {
      kind: 'unexplained',
      code: `http_${status}`,
      message: `The provider answered with HTTP status ${status}`,
    }
  }

  function note(
    { call, reference }: ProviderCall<Name>,
    { status, text }: Answer,
    { name, ...more }: Pick<UnexplainedAnswer, 'kind' | 'name' | 'period'>,
  ): Promise<void> {
    return record({ operation: call, reference, status, name: safeName(name), body: text, ...more })
  }
}

type Explanation<T extends object> =
  | { kind: 'read'; value: T }
  | { kind: 'refused'; refusal: Rejected }
  | { kind: 'absent' | 'duplicate'; message: string }
  | { kind: 'unexplained'; code: string; message: string }

const UNREADABLE = { code: 'unreadable_answer', message: 'The provider answered with success but unreadably' }
const LONGEST_MESSAGE = 300
const LONGEST_NAME = 80

function listed(
  meaning: Meaning,
  error: NamedError,
): Exclude<Explanation<never>, { kind: 'read' | 'unexplained' }> {
  const message = error.message.slice(0, LONGEST_MESSAGE)
  if (meaning.kind !== 'refused') return { kind: meaning.kind, message }
  const { railCode } = error
  const isByRail = meaning.byRail && railCode !== undefined && isRailCode(railCode)
  const why = isByRail
    ? { code: railCode, finality: finalityOf(railCode) }
    : { code: meaning.code, finality: meaning.finality }
  return { kind: 'refused', refusal: { kind: 'rejected', ...why, providerCode: error.name, message } }
}

/** A code as APIs write them: words of letters, with short numbers at most. Longer numbers may be a document or a phone. */
const CODE = /^[A-Za-z]+(?:[A-Za-z_.:-]|\d{1,4}(?!\d))*$/

/**
 * A provider's name of something, fit for a log line and a label. A sentence, or whatever else may carry what a person is
 * called by, is named by a short digest: the same sentence is counted together, and the operator opens the answer itself.
 */
export function safeName(name: string): string {
  if (name === '') return ''
  if (name.length <= LONGEST_NAME && CODE.test(name)) return name
  return `text-${hash('sha256', name).slice(0, 8)}`
}
