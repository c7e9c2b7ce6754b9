import type { SimulatedAccount, SimulatedAccounts } from '../accounts.ts'
import type { IdGenerator } from '../ids.ts'
import type { SimulatorStore } from '../store.ts'
import type { RecurrenceClock } from './clock.ts'
import type { CancellationSource, RecurrenceCancellationCode, RecurrenceRejectionCode } from './codes.ts'
import type { RecurrenceFrequency } from './cycles.ts'
import { appendToHistory } from './history.ts'

export type RecurrenceStatus = 'created' | 'approved' | 'rejected' | 'expired' | 'cancelled'
export type RecurrenceJourney = 1 | 2 | 3 | 4

/** How a recurrence ended: by the payer's bank's rejection, or by a cancellation. */
export type RecurrenceEnding =
  | { kind: 'rejected'; code: RecurrenceRejectionCode }
  | { kind: 'cancelled'; code: RecurrenceCancellationCode; source: CancellationSource }

/** A recurrence of an account: what a payer authorises, and how the payer's bank treats its charges. */
export type SimulatedRecurrence = {
  id: string
  accountId: string
  status: RecurrenceStatus
  contract: string
  subject: string | null
  debtorName: string
  debtorDocument: string
  startsOn: string
  endsOn: string | null
  frequency: RecurrenceFrequency
  /** Amount of every charge; null: it varies. */
  cents: number | null
  /** Least amount of the payer's ceiling. */
  minimumCents: number | null
  allowsRetries: 0 | 1
  /** Agreement between the receiver and its bank. */
  agreement: string | null
  /** Txid of the charge that is paid with the authorisation. */
  activationTxid: string | null
  /** How the payer answered; null: not yet. */
  journey: RecurrenceJourney | null
  payerDocument: string | null
  payerIspb: string | null
  /** Highest amount of a charge that the payer allows; null: any. */
  ceilingCents: number | null
  /** What the payer's account holds when a try runs; null: enough. */
  fundsCents: number | null
  /** As `fundsCents`, in the evening of the day; null: the same. */
  eveningFundsCents: number | null
  /** Codes with which the payer's bank refuses the next tries, JSON. */
  plannedCodes: string
  /** Changes of status (`StatusChange`), JSON. */
  history: string
  /** `RecurrenceEnding`, JSON. */
  ending: string | null
  createdAt: string
}

/** The status of a recurrence changed, otherwise than by its end day. */
export type RecurrenceRailEvent = {
  kind: 'recurrence'
  account: SimulatedAccount
  recurrence: SimulatedRecurrence
}

type RecurrenceOrder = Pick<
  SimulatedRecurrence,
  | 'contract'
  | 'subject'
  | 'debtorName'
  | 'debtorDocument'
  | 'startsOn'
  | 'endsOn'
  | 'frequency'
  | 'cents'
  | 'minimumCents'
  | 'allowsRetries'
  | 'agreement'
  | 'activationTxid'
>

type RecurrenceChange = Partial<
  Pick<SimulatedRecurrence, 'debtorName' | 'startsOn' | 'activationTxid'> & PayerSettings
>
/** How the payer's bank treats the charges of a recurrence. */
export type PayerSettings = Pick<
  SimulatedRecurrence,
  'ceilingCents' | 'fundsCents' | 'eveningFundsCents' | 'plannedCodes'
>

/** How a payer authorised a recurrence. */
export type RecurrenceConsent = {
  journey: RecurrenceJourney
  payerDocument: string
  payerIspb: string
  ceilingCents: number | null
}

export type SimulatedRecurrences = {
  create(account: SimulatedAccount, order: RecurrenceOrder): SimulatedRecurrence
  /** Finds a recurrence by its id; one whose last day is over expires then, without a notification. */
  find(id: string): SimulatedRecurrence | undefined
  /** Lists the recurrences created in [from, to], both ISO 8601 UTC, oldest first; expires as `find`. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedRecurrence[]
  list(): SimulatedRecurrence[]
  revise(recurrence: SimulatedRecurrence, change: RecurrenceChange): SimulatedRecurrence
  /** Approves a created recurrence; undefined if it is not created any more, as for `reject`. */
  approve(id: string, consent: RecurrenceConsent): SimulatedRecurrence | undefined
  reject(id: string, code: RecurrenceRejectionCode): SimulatedRecurrence | undefined
  /** Cancels a created or approved recurrence; undefined if it is neither. */
  cancel(
    id: string,
    cancellation: { code: RecurrenceCancellationCode; source: CancellationSource },
  ): SimulatedRecurrence | undefined
}

type RecurrenceDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  ids: IdGenerator
  clock: RecurrenceClock
  onRailEvent: (event: RecurrenceRailEvent) => void
}

export function simulateRecurrences({
  store,
  accounts,
  ids,
  clock,
  onRailEvent,
}: RecurrenceDependencies): SimulatedRecurrences {
  const save = (recurrence: SimulatedRecurrence, change: Partial<SimulatedRecurrence>) => {
    const changed = { ...recurrence, ...change }
    const columns = Object.keys(change).map(column => `${column} = ?`)
    if (columns.length > 0)
      store.run(`UPDATE recurrence SET ${columns} WHERE id = ?`, ...Object.values(change), recurrence.id)
    return changed
  }
  const setStatus = (
    recurrence: SimulatedRecurrence,
    status: RecurrenceStatus,
    change: Partial<SimulatedRecurrence> = {},
  ) => {
    const history = appendToHistory(recurrence.history, { status, at: clock.now().toISOString() })
    return save(recurrence, { ...change, status, history })
  }
  const notify = (recurrence: SimulatedRecurrence) => {
    onRailEvent({ kind: 'recurrence', account: accounts.find(recurrence.accountId)!, recurrence })
    return recurrence
  }
  /** "Essa alteração de estado deve ser feita pelo PSP Recebedor ao consultar" (Manual de Padrões, in bacen/pix-api #629). */
  const expireIfOver = (recurrence: SimulatedRecurrence) =>
    isOpen(recurrence) && recurrence.endsOn !== null && recurrence.endsOn < clock.today()
      ? setStatus(recurrence, 'expired')
      : recurrence
  const find = (id: string) => {
    const recurrence = store.first<SimulatedRecurrence>('SELECT * FROM recurrence WHERE id = ?', id)
    return recurrence && expireIfOver(recurrence)
  }

  return {
    create: (account, order) =>
      store.inTransaction(() => {
        const createdAt = clock.now().toISOString()
        const prefix = order.allowsRetries ? 'RR' : 'RN'
        const recurrence: SimulatedRecurrence = {
          ...order,
          id: ids.recurrenceId({ prefix, ispb: account.ispb, day: clock.today() }),
          accountId: account.id,
          status: 'created',
          journey: null,
          payerDocument: null,
          payerIspb: null,
          ceilingCents: null,
          fundsCents: null,
          eveningFundsCents: null,
          plannedCodes: '[]',
          history: appendToHistory('[]', { status: 'created', at: createdAt }),
          ending: null,
          createdAt,
        }
        store.insert('recurrence', recurrence)
        return recurrence
      }),
    find,
    listBetween: (accountId, { from, to }) =>
      store
        .all<SimulatedRecurrence>(
          'SELECT * FROM recurrence WHERE accountId = ? AND createdAt BETWEEN ? AND ? ORDER BY createdAt, rowid',
          accountId,
          from,
          to,
        )
        .map(expireIfOver),
    list: () => store.all<SimulatedRecurrence>('SELECT * FROM recurrence ORDER BY rowid').map(expireIfOver),
    revise: save,
    approve: (id, { journey, ...consent }) =>
      store.inTransaction(() => {
        const recurrence = find(id)
        if (recurrence?.status !== 'created') return undefined
        // "Este campo deve ser removido pelo PSP Recebedor quando a ativação for realizada pelas jornadas 1, 2 ou 4."
        const activationTxid = journey === 3 ? recurrence.activationTxid : null
        return notify(setStatus(recurrence, 'approved', { ...consent, journey, activationTxid }))
      }),
    reject: (id, code) =>
      store.inTransaction(() => {
        const recurrence = find(id)
        if (recurrence?.status !== 'created') return undefined
        const ending = JSON.stringify({ kind: 'rejected', code } satisfies RecurrenceEnding)
        return notify(setStatus(recurrence, 'rejected', { ending }))
      }),
    cancel: (id, cancellation) =>
      store.inTransaction(() => {
        const recurrence = find(id)
        if (!recurrence || !isOpen(recurrence)) return undefined
        const ending = JSON.stringify({ kind: 'cancelled', ...cancellation } satisfies RecurrenceEnding)
        return notify(setStatus(recurrence, 'cancelled', { ending }))
      }),
  }
}

/** Tells whether a recurrence has not ended. */
export function isOpen({ status }: SimulatedRecurrence): boolean {
  return status === 'created' || status === 'approved'
}
