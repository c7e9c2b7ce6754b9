import { readFileSync } from 'node:fs'
import { Agent, fetch } from 'undici'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type {
  AutomaticChargeStatus,
  ChargeTryKind,
  ChargeTryStatus,
} from '../recurrences/automatic-charges.ts'
import type { RecurrenceJourney, RecurrenceStatus } from '../recurrences/recurrences.ts'
import type {
  AccountBody,
  DayBody,
  DecisionBody,
  DepositBody,
  DisputeBody,
  FaultBody,
  InboxAnswerBody,
  MovementBody,
  PayBody,
  RecurrenceCancellationBody,
  RecurrenceDecisionBody,
  RecurrenceFundsBody,
  RecurrenceRefusalBody,
  ReturnBody,
} from './schemas.ts'

/** An account in the control API; amounts in reais. */
export type SimulatedAccountView = {
  id: string
  provider: ProviderName
  dialect: AccountBody['dialect']
  client_id: string
  holder: { name: string; document: string }
  city: string
  ispb: string
  keys: string[]
  balance: number
  held: number
  blocked: number
  requires_certificate: boolean
  amount_magic: boolean
}
export type StatementLine = {
  /** Id chosen by the caller of the provider API: a txid, or the id of a transfer or devolução. */
  id: string | null
  /** Null if the movement is not a PIX. */
  end_to_end: string | null
  original_end_to_end: string | null
  /** The id by which the provider's API shows the movement: the end-to-end id, except where it shows none. */
  shown_id: string | null
  shown_original_id: string | null
  kind: 'payment' | 'deposit' | 'transfer' | 'refund' | 'return' | 'tariff' | 'withdrawal' | 'credit'
  value: number
  account: string
  /** Who received a transfer; null of other movements. */
  receiver: { name: string; document: string } | null
  at: string
}
/** One side of a dispute. */
export type SimulatedDisputeView = {
  id: string
  account: string
  side: 'received' | 'requested'
  end_to_end: string
  value: number
  blocked: number
  status: 'open' | 'replied' | 'agreed' | 'disagreed' | 'cancelled'
  opened_at: string
  due_at: string
  replies: { accept: boolean | null; text: string; documents: unknown[]; at: string }[]
}
export type InboxMessage = {
  at: string
  method: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
export type FaultView = {
  provider: ProviderName
  operation: FaultBody['operation'] | null
  account: string | null
  fault: FaultBody['fault']
  times: number
  delay_ms: number | null
  status: number | null
  body: string | null
  page_size: number | null
}
/** A fault that took effect on a call. */
export type ServedFaultView = {
  account: string
  operation: NonNullable<FaultBody['operation']>
  fault: FaultBody['fault']
  item_id: string | null
  at: string
}
/** A charge at its provider; `reference` is the id that the caller of the provider API chose. */
export type SimulatedChargeView = {
  account: string
  reference: string
  txid: string
  status: 'active' | 'completed' | 'removed' | 'removed_by_provider'
}
/** What a charge with a due date costs at its provider on a day, and its payments of what it asks; amounts in reais. */
export type DueChargeView = {
  account: string
  txid: string
  value: number
  payments: DuePaymentView[]
}
/** What a payment consists of, as its provider computed it. */
type DuePaymentView = Record<'value' | 'original' | 'fine' | 'interest' | 'discount' | 'abatement', number>
/** A recurrence with its charges and their tries; amounts in reais, null: none. */
export type SimulatedRecurrenceView = {
  id: string
  account: string
  status: RecurrenceStatus
  contract: string
  journey: RecurrenceJourney | null
  debtor_document: string
  payer_document: string | null
  value: number | null
  ceiling: number | null
  funds: number | null
  evening_funds: number | null
  charges: AutomaticChargeView[]
}
/** A charge of one cycle of a recurrence. */
type AutomaticChargeView = {
  txid: string
  status: AutomaticChargeStatus
  value: number
  due_on: string
  cycle: number
  tries: {
    on: string
    kind: ChargeTryKind
    status: ChargeTryStatus
    code: string | null
    end_to_end: string
  }[]
}
/** An order that waits for approval in a provider's panel. */
export type PendingOrderView = { id: string; account: string; value: number; key: string }

/** An error response of the control API. */
export class SimulatorApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Tests send hundreds of requests at once to a simulator on a busy machine. */
const CONNECT_TIMEOUT_MS = 60_000

export type SimulatorClient = ReturnType<typeof createSimulatorClient>

/**
 * Creates a client of the control API, for tests and for the data of a local demo. `baseUrl` is the simulator's
 * `url`; the caller closes the client.
 */
export function createSimulatorClient(baseUrl: string, caFile: string) {
  const dispatcher = new Agent({
    connect: { ca: readFileSync(caFile, 'utf8'), timeout: CONNECT_TIMEOUT_MS },
    // A connection for each request: on a busy machine the simulator may close a kept one while a request is sent.
    pipelining: 0,
    // Else requests wait in the pool until a connection has negotiated its protocol, and one of them may wait forever.
    allowH2: false,
  })
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${baseUrl}/control${path}`, {
      method,
      dispatcher,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const answer = (await response.json()) as Answer & { message?: string }
    if (!response.ok)
      throw new SimulatorApiError(response.status, answer.message ?? `answered ${response.status}`)
    return answer
  }
  const list = async <Item>(path: string) => (await call<{ data: Item[] }>('GET', path)).data

  return {
    /** Creates or changes an account; the opening balance applies only when it is created. */
    putAccount: (id: string, settings: AccountBody) =>
      call<SimulatedAccountView>('PUT', `/accounts/${id}`, settings),
    findAccount: (id: string) => call<SimulatedAccountView>('GET', `/accounts/${id}`),
    /** Issues a client certificate and its key, both PEM, for accounts that require one. */
    issueCertificate: (commonName: string) =>
      call<{ certificate: string; key: string }>('POST', '/certificates', { common_name: commonName }),
    pay: (order: PayBody) => call<{ end_to_end: string }>('POST', '/pay', order),
    deposit: (order: DepositBody) => call<{ end_to_end: string }>('POST', '/deposit', order),
    /** Returns money of a transfer, as its recipient. */
    returnTransfer: (order: ReturnBody) => call<{ return_id: string }>('POST', '/returns', order),
    /** Moves money at the provider without its API; `end_to_end` is null if the movement is not a PIX. */
    moveMoney: (movement: MovementBody) =>
      call<{ id: string; end_to_end: string | null }>('POST', '/movements', movement),
    /** Disputes a received or sent PIX, as the payer's bank. */
    openDispute: (order: DisputeBody) => call<{ id: string }>('POST', '/meds', order),
    decideDispute: (
      id: string,
      decision: DecisionBody['decision'],
      nature?: DecisionBody['nature'],
      returned?: DecisionBody['returned'],
    ) => call<{ id: string }>('POST', `/meds/${id}/decide`, { decision, nature, returned }),
    findDispute: (id: string) => list<SimulatedDisputeView>(`/meds/${id}`),
    /** Finds a recurrence, by the id that its provider gave it, with its charges and tries. */
    findRecurrence: (id: string) => call<SimulatedRecurrenceView>('GET', `/recurrences/${id}`),
    listRecurrences: () => list<SimulatedRecurrenceView>('/recurrences'),
    /** Lists the debtors whose bank refuses the recurrence (AP13, AP14), or each try, with one code. */
    listMagicDebtors: () => list<{ document: string; code: string }>('/recurrence-debtors'),
    /** Authorises or rejects a recurrence, as its payer. */
    decideRecurrence: (id: string, answer: RecurrenceDecisionBody) =>
      call<SimulatedRecurrenceView>('POST', `/recurrences/${id}/decide`, answer),
    /** Cancels a recurrence with its pending charges, or one charge (`txid`); by the payer, unless `code` says otherwise. */
    cancelRecurrence: (id: string, cancellation: RecurrenceCancellationBody = {}) =>
      call<SimulatedRecurrenceView>('POST', `/recurrences/${id}/cancel`, cancellation),
    /** Sets the highest amount of a charge that the payer allows; null: any. Charges above it are refused with AM02. */
    setRecurrenceCeiling: (id: string, value: number | null) =>
      call<SimulatedRecurrenceView>('POST', `/recurrences/${id}/ceiling`, { value }),
    /** Sets what the payer's account holds when a try runs, and in the evening of the day. */
    setRecurrenceFunds: (id: string, funds: RecurrenceFundsBody) =>
      call<SimulatedRecurrenceView>('POST', `/recurrences/${id}/funds`, funds),
    /** Refuses the next tries of a recurrence on their day, with a code of the payer's bank. */
    refuseRecurrenceTries: (id: string, refusal: RecurrenceRefusalBody) =>
      call<SimulatedRecurrenceView>('POST', `/recurrences/${id}/refuse`, refusal),
    /** Reads the day of recurrences in Brasília. */
    findDay: () => call<{ today: string }>('GET', '/day'),
    /** Advances the clock of recurrences by days (1), each with its tries; the last one until its morning or evening. */
    advanceDay: (advance: DayBody = {}) => call<{ today: string }>('POST', '/day', advance),
    addFault: (fault: FaultBody) => call<{ data: FaultView[] }>('PUT', '/faults', fault),
    listFaults: () => list<FaultView>('/faults'),
    listServedFaults: () => list<ServedFaultView>('/faults/served'),
    listCharges: () => list<SimulatedChargeView>('/charges'),
    /** Lists the charges with a due date, with what each costs on a day in Brasília. */
    listDueCharges: (on: string) => list<DueChargeView>(`/due-charges?on=${on}`),
    /** Lists codes of receivers at other banks: charges that cannot be paid, broken signatures, hostile servers. */
    listForeignCodes: () => list<{ name: string; payload: string }>('/foreign-codes'),
    listOrders: () => list<PendingOrderView>('/orders'),
    approveOrder: (id: string) => call<{ id: string }>('POST', `/orders/${id}/approve`),
    removeOrder: (id: string) => call<{ id: string }>('DELETE', `/orders/${id}`),
    clearFaults: () => call<{ data: [] }>('DELETE', '/faults'),
    listStatement: (provider?: ProviderName) =>
      list<StatementLine>(`/statement${provider ? `?provider=${provider}` : ''}`),
    listInbox: (name: string) => list<InboxMessage>(`/inbox/${name}`),
    setInboxResponse: (name: string, response: InboxAnswerBody) =>
      call<InboxAnswerBody>('PUT', `/inbox/${name}`, response),
    clearInbox: (name: string) => call<{ data: [] }>('DELETE', `/inbox/${name}`),
    close: () => dispatcher.close(),
  }
}
