import { hash } from 'node:crypto'
import type { z } from 'zod'
import { finalityOf, isRailCode } from '../../domain/pix/rail-codes.ts'
import type {
  NoAnswerResult,
  NotAcceptedResult,
  NotFoundResult,
  RejectedResult,
  UnknownResult,
} from '../../domain/providers/provider.ts'
import type { HttpCall, HttpClientOptions } from '../http/client.ts'
import type { ExchangeOutcome, ProviderResponse } from '../http/exchange.ts'
import type { ShareToken } from '../shared-access.ts'
import { createAnswerNotes, findUnlistedValue, type ReadAnswer } from './answer-parsing.ts'
import type { AnswerMeaning, DocumentedAnswers, NamedError } from './documented-answers.ts'
import { MAX_MESSAGE_LENGTH, toUnprovenRefusal } from './outcomes.ts'
import { pdfSchema } from './pdf-answer.ts'
import type { RecordUnexplainedAnswer, UnexplainedAnswer } from './unexplained-answers.ts'

/** A request with the name of its call, whose table explains the answers, and our id of its subject. */
export type ProviderCall<Name extends string> = HttpCall & {
  call: Name
  /** Absent for a list and for the account itself. */
  reference?: string | undefined
  /** Requested period of a list, ISO 8601 UTC. */
  period?: { from: string; to: string }
  /** Its answer of 2xx is no JSON, but a PDF. */
  isPdf?: true
}

type RecordedCall<Name extends string> = Pick<ProviderCall<Name>, 'call' | 'reference' | 'period'>

export type AdapterOptions<Credentials> = Omit<HttpClientOptions, 'tls'> & {
  credentials: Credentials
  /** PEM of the authority to trust instead of the system's, for a local simulator. */
  ca?: string | undefined
  now?: () => number
  /** Shares access tokens with the other processes; absent: the adapter has tokens of its own. */
  shareToken?: ShareToken | undefined
  /** Records answers that no table explains; absent: none are recorded. */
  recordUnexplained?: RecordUnexplainedAnswer | undefined
}

export type DocumentedProviderApi<Name extends string> = {
  answers: DocumentedAnswers<Name>
  /** Reads an error in a documented shape; undefined if the body has no such shape. */
  readError: (answer: ProviderResponse) => NamedError | undefined
}

/**
 * Creates the calls of one adapter, with their outcomes. A documented refusal is a refusal and a documented absence
 * an absence, for the call that lists them; a request that never left is `unreachable`; every other answer proves
 * nothing and is recorded. Each call is made once: the caller decides on repeats.
 */
export function createProviderCalls<Name extends string>(
  exchange: (call: ProviderCall<Name>) => Promise<ExchangeOutcome>,
  { answers, readError }: DocumentedProviderApi<Name>,
  record: RecordUnexplainedAnswer = async () => {},
) {
  return {
    async send<Answer, T extends object>(
      call: ProviderCall<Name>,
      shape: z.ZodType<Answer>,
      read: ReadAnswer<Answer, T>,
    ): Promise<({ kind: 'accepted' } & T) | NotAcceptedResult> {
      const response = await exchange(call)
      if (response.kind === 'unreachable') return response
      if (response.kind === 'no_answer') return { ...response, kind: 'unknown' }
      const answer = await explain(call, response, shape, read)
      switch (answer.kind) {
        case 'read':
          return { kind: 'accepted', ...answer.value }
        case 'refused': {
          const refusal: RejectedResult = { ...answer, kind: 'rejected' }
          // A refusal of the repeat proves nothing about the request before it.
          return response.isRepeat ? toUnprovenRefusal(refusal) : refusal
        }
        default:
          return { ...answer, kind: 'unknown' }
      }
    },

    lookUp,

    /** Looks up what always exists, such as an account and its lists: a documented absence is `no_answer` too. */
    async lookUpExisting<Answer, T extends object>(
      call: ProviderCall<Name>,
      shape: z.ZodType<Answer>,
      read: ReadAnswer<Answer, T>,
    ): Promise<({ kind: 'found' } & T) | NoAnswerResult> {
      const outcome = await lookUp(call, shape, read)
      if (outcome.kind !== 'not_found') return outcome
      return { kind: 'no_answer', code: 'not_found', message: 'The provider did not find it' }
    },

    /** Looks a document up: one that is no PDF, or a part of one, is unreadable. */
    lookUpPdf(
      call: ProviderCall<Name>,
    ): Promise<({ kind: 'found' } & { pdf: Buffer }) | NotFoundResult | NoAnswerResult> {
      const headers = { ...call.headers, accept: 'application/pdf, application/json' }
      return lookUp({ ...call, headers, isPdf: true }, pdfSchema, pdf => ({ pdf }))
    },

    recordItem,

    /** Records an unexplained answer that a call site found beyond one response. */
    record,
  }

  /** Looks something up: found, absent by the provider's documented answer, or unknown. */
  async function lookUp<Answer, T extends object>(
    call: ProviderCall<Name>,
    shape: z.ZodType<Answer>,
    read: ReadAnswer<Answer, T>,
  ): Promise<({ kind: 'found' } & T) | NotFoundResult | NoAnswerResult> {
    const response = await exchange(call)
    if (response.kind === 'unreachable') return { ...response, kind: 'no_answer', isUnprocessed: true }
    if (response.kind === 'no_answer') return response
    const answer = await explain(call, response, shape, read)
    const { kind } = answer
    if (kind === 'read') return { kind: 'found', ...answer.value }
    if (kind === 'not_found') return { kind }
    const { code, message } = answer
    return { kind: 'no_answer', code, message, ...(kind !== 'unexplained' && { isUnprocessed: true }) }
  }

  /**
   * Reads a 2xx answer and explains any other by the table. Records the list items that are left out, and an answer that
   * is unreadable as a whole or that the table does not list.
   */
  async function explain<Answer, T extends object>(
    call: ProviderCall<Name>,
    answer: ProviderResponse,
    shape: z.ZodType<Answer>,
    read: ReadAnswer<Answer, T>,
  ): Promise<AnswerExplanation<T>> {
    const { status } = answer
    if (status >= 200 && status < 300) {
      const { notes, unreadableItems, getUnlistedValue } = createAnswerNotes()
      const parsed = shape.safeParse(call.isPdf ? answer : answer.json, { reportInput: true })
      const value = parsed.success ? read(parsed.data, notes) : undefined
      for (const { item, name } of unreadableItems) await recordItem(call, item, name)
      if (value) return { kind: 'read', value }
      const name = parsed.success ? getUnlistedValue() : findUnlistedValue(parsed.error)
      await recordUnexplained(call, answer, { kind: name ? 'unlisted_value' : 'unreadable_answer', name })
      return { kind: 'unexplained', ...UNREADABLE_ANSWER }
    }
    const error = readError(answer)
    const line =
      error &&
      answers[call.call].find(
        listedAnswer => listedAnswer.status === status && listedAnswer.name === error.name,
      )
    if (line) return explainListedAnswer(line.meaning, error)
    await recordUnexplained(call, answer, { kind: 'unlisted_refusal', name: error?.name ?? '' })
    const message = `The provider answered with HTTP status ${status}`
    return { kind: 'unexplained', code: `http_${status}`, message }
  }

  function recordItem(call: RecordedCall<Name>, item: unknown, name = ''): Promise<void> {
    const period = call.period && { period: call.period }
    const answer = { status: 200, text: JSON.stringify(item) ?? '' }
    return recordUnexplained(call, answer, { kind: 'unreadable_item', name, ...period })
  }

  function recordUnexplained(
    { call, reference }: RecordedCall<Name>,
    { status, text }: Pick<ProviderResponse, 'status' | 'text'>,
    { name, ...rest }: Pick<UnexplainedAnswer, 'kind' | 'name' | 'period'>,
  ): Promise<void> {
    return record({
      operation: call,
      reference: reference ?? null,
      status,
      name: sanitizeProviderName(name),
      body: text,
      ...rest,
    })
  }
}

type AnswerExplanation<T extends object> = { kind: 'read'; value: T } | ListedExplanation | UnexplainedResult
type UnexplainedResult = Omit<UnknownResult, 'kind'> & { kind: 'unexplained' }
type ListedExplanation =
  | (Omit<RejectedResult, 'kind'> & { kind: 'refused' })
  | { kind: 'not_found' | 'duplicate'; code: string; message: string }

const UNREADABLE_ANSWER = {
  code: 'unreadable_answer',
  message: 'The provider answered with success, but the answer is unreadable',
}
const MAX_NAME_LENGTH = 80

function explainListedAnswer(meaning: AnswerMeaning, error: NamedError): ListedExplanation {
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH)
  if (meaning.kind === 'not_found') return { kind: 'not_found', code: 'not_found', message }
  if (meaning.kind === 'duplicate') return { kind: 'duplicate', code: 'duplicate_id', message }
  const { railCode } = error
  const isByRail = meaning.isByRail && railCode !== undefined && isRailCode(railCode)
  const cause = isByRail
    ? { code: railCode, finality: finalityOf(railCode) }
    : { code: meaning.code, finality: meaning.finality }
  const quoted = message !== '' && { providerMessage: message }
  return { kind: 'refused', ...cause, providerCode: error.name, message, ...quoted }
}

/** Matches a code: letters, separators, numbers of at most four digits. Longer numbers may be documents or phones. */
const CODE_PATTERN = /^[A-Za-z]+(?:[A-Za-z_.:-]|\d{1,4}(?!\d))*$/

/**
 * Makes a provider's name fit for a log line and a label. A sentence, or anything else that may contain personal
 * data, becomes a short digest: equal sentences are counted together, and the operator opens the answer itself.
 */
export function sanitizeProviderName(name: string): string {
  if (name === '') return ''
  if (name.length <= MAX_NAME_LENGTH && CODE_PATTERN.test(name)) return name
  return `text-${hash('sha256', name).slice(0, 8)}`
}
