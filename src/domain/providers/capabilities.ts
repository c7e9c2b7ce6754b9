import type { DueModalities } from '../charges/due-terms.ts'
import { BANK_ACCOUNT_TYPES, type BankAccountType } from '../pix/party.ts'
import type { PixKeyType } from '../pix-keys/pix-key.ts'
import type { PayableCode } from '../qr-codes/code-payment.ts'
import { JOURNEYS, type Journey } from '../recurrences/recurrence.ts'
import type { ProviderApi } from './provider.ts'

/**
 * How a payout is looked up whose outcome is unknown. `id`: by our id, so that "not found" can prove its absence. `handle`: by what
 * its preparation named. `repeat`: only by sending the same order again under the same id, which finishes it; its absence is
 * never proved.
 */
type PayoutLookUpWay = 'id' | 'handle' | 'repeat'

/** How often calls may be made for one account at a provider: `burst` of them at once, then `perSecond`. */
export type Pace = { perSecond: number; burst: number }

/**
 * Calls that share a pace. `send`: transfers and their preparation; `lookUp`: look-ups of transfers; `charge`: charges and the PIX
 * received for them; `refund`: refunds, their preparation and look-ups; `token`: requests for an access token.
 */
export const PACE_KINDS = ['send', 'lookUp', 'charge', 'refund', 'token'] as const
export type PaceKind = (typeof PACE_KINDS)[number]

/** What an API can do at all; a candidate that cannot is skipped, never asked in vain. */
export type ProviderCapabilities = {
  /** A charge whose payer chooses the value. */
  canIssueOpenAmount: boolean
  /** What it computes for charges with a due date; null where it issues none. */
  dueCharges: DueModalities | null
  /** By which journeys its recurrences (Pix Automático) get the payer's consent; none where it has no recurrences. */
  journeys: readonly Journey[]
  /**
   * It makes the debit of each cycle of a recurrence itself, `daysBefore` days before the due day, and tries a failed one again itself.
   * `needsAddress`: of the payer. Absent where each debit and each retry is ordered.
   */
  ownDebits?: { daysBefore: number; needsAddress: boolean }
  /**
   * `charge`: it refuses a payer with another document than that of the charge's debtor. `none`: the payer is checked once the PIX has
   * arrived, as it is everywhere.
   */
  locksPayer: 'charge' | 'none'
  canTransfer: boolean
  /** The kinds of account that it pays without a PIX key. */
  payableAccountTypes: readonly BankAccountType[]
  /** The kinds of PIX code that it pays as codes; none where an order whose answer is lost could never be found. */
  payableCodes: readonly PayableCode[]
  /** How transfers are looked up. */
  transferLookUp: PayoutLookUpWay
  /** The id of an order is never free again, so that an order that is looked up by repeating it may be repeated at any time. */
  keepsOrderIds: boolean
  /**
   * A refund is ordered by what is to remain of the PIX, and found by what remains of it. Two refunds of one PIX at a time would be
   * one: the second is refused while the first is under way. One that has failed is not looked up once a later one was made.
   */
  refundsOneAtATime: boolean
  /** It sends only where the key belongs to the document that the order names. */
  canCheckDocument: boolean
  /** It names the owner of a key before anything is ordered, so that the engine can compare the owner itself. */
  canLookUpKey: boolean
  /** It issues a receipt of a settled PIX, a PDF. */
  issuesReceipts: boolean
  /** The kinds of PIX key that it makes by its API. */
  creatableKeyTypes: readonly PixKeyType[]
  /** It notifies PIX by their key, so that the URL of notifications is registered for each key. */
  notifiesByKey: boolean
  /** Null for an API without disputes. */
  disputes: {
    /** It notifies disputes. The list of one that does not is requested every few minutes. */
    areNotified: boolean
    /**
     * Most characters of a rejecting reply where it accepts one text and no files, in UTF-16 code units; null where it accepts
     * files.
     */
    maxReplyTextLength: number | null
    /** It takes a request for the money of a PIX that the account has sent, and cancels it. */
    canRequest: boolean
  } | null
  /**
   * The paces that its processes keep together; a kind without one is not counted, and costs nothing. Each counted call costs one
   * statement: paces that no account of ours reaches are left out. Null where there is none.
   */
  pace: Partial<Record<PaceKind, Pace>> | null
}

/**
 * Our pace of token requests to an API that publishes none. A token serves for most of an hour, so this is felt only where requests
 * fail or new tokens are refused: five at once, as many as open a circuit breaker, then one every ten seconds, as its probes.
 */
const TOKEN_PACE: Pace = { perSecond: 0.1, burst: 5 }

/** The six modalities of a discount (pix-api of the Central Bank, `valor.desconto`). */
const ALL_DISCOUNTS: DueModalities['discount'] = [
  'FIXED_UNTIL',
  'PERCENTAGE_UNTIL',
  'FIXED_PER_DAY_CALENDAR',
  'FIXED_PER_DAY_BUSINESS',
  'PERCENTAGE_PER_DAY_CALENDAR',
  'PERCENTAGE_PER_DAY_BUSINESS',
]

/**
 * All modalities of the Central Bank's CobVValor: those of Sicoob's API PIX 2.0.23.28 and of Inter's OpenAPI 1.0.0, whose texts list
 * them; Efí's SDK 2.0.1 restricts none. None requires the debtor's address.
 */
const BACEN_DUE_CHARGES: DueModalities = {
  fine: ['FIXED', 'PERCENTAGE'],
  interest: [
    'FIXED_DAY_CALENDAR',
    'PERCENTAGE_DAY_CALENDAR',
    'PERCENTAGE_MONTH_CALENDAR',
    'PERCENTAGE_YEAR_CALENDAR',
    'FIXED_DAY_BUSINESS',
    'PERCENTAGE_DAY_BUSINESS',
    'PERCENTAGE_MONTH_BUSINESS',
    'PERCENTAGE_YEAR_BUSINESS',
  ],
  abatement: ['FIXED', 'PERCENTAGE'],
  discount: ALL_DISCOUNTS,
  maxDiscountSteps: 3,
  needsAddress: false,
  revisable: 'all',
}

/**
 * Efí's API makes random keys only ("Endpoints exclusivos Efí"). Woovi's also the account's CNPJ, never a CPF, and an
 * e-mail or phone for accounts with that permission ("Chaves Pix das contas"). Sicoob's have neither keys nor disputes, and know a
 * payment by the end-to-end id of its draft.
 */
export const PROVIDER_CAPABILITIES: Record<ProviderApi, ProviderCapabilities> = {
  efi: {
    canIssueOpenAmount: false,
    dueCharges: BACEN_DUE_CHARGES,
    journeys: JOURNEYS,
    // Per key only (`PUT /v2/gn/config`, documentoPagadorIgualDevedor), which would lock every charge of the key.
    locksPayer: 'none',
    canTransfer: true,
    // PAYMENT and SALARY are not among `tipoConta` (official SDK 2.0.1, `PixSendBodySchema`).
    payableAccountTypes: ['CHECKING', 'SAVINGS'],
    payableCodes: ['DYNAMIC'],
    transferLookUp: 'id',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: true,
    canLookUpKey: false,
    issuesReceipts: true,
    creatableKeyTypes: ['RANDOM'],
    notifiesByKey: true,
    // Official SDK 2.0.1, `MedSubmitDefenseBodySchema`.
    disputes: { areNotified: false, maxReplyTextLength: 1_000, canRequest: false },
    // PUT and POST: 500 per second each ("Limites de consumo"), which is not counted.
    pace: { token: TOKEN_PACE },
  },
  woovi: {
    canIssueOpenAmount: false,
    // OpenAPI, ChargePayload of type OVERDUE: interest is "basis points […] applied daily", and `PATCH` changes the expiry only.
    dueCharges: {
      fine: ['FIXED', 'PERCENTAGE'],
      interest: ['PERCENTAGE_DAY_CALENDAR'],
      abatement: [],
      discount: ALL_DISCOUNTS,
      maxDiscountSteps: 3,
      needsAddress: true,
      revisable: 'nothing',
    },
    // OpenAPI, SubscriptionPayload: PAYMENT_ON_APPROVAL too, whose code pays the first installment and no
    // charge of ours; Installment names no payment but that of a debit.
    journeys: ['QR'],
    // "Criação manual de cobranças recorrentes"; "É obrigatório o envio do endereço do cliente" ("Como criar um Pix Automático?").
    ownDebits: { daysBefore: 4, needsAddress: true },
    // "Bloqueando Pagamentos": `ensureSameTaxID`.
    locksPayer: 'charge',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    // OpenAPI, "Create a Payment Request": QR_CODE, whose `value` is optional.
    payableCodes: ['STATIC', 'DYNAMIC', 'OPEN_DYNAMIC'],
    transferLookUp: 'id',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: false,
    canLookUpKey: true,
    issuesReceipts: true,
    creatableKeyTypes: ['RANDOM', 'DOCUMENT', 'EMAIL', 'PHONE'],
    notifiesByKey: false,
    // OpenAPI, "Open a funds recovery (MED)".
    disputes: { areNotified: true, maxReplyTextLength: null, canRequest: true },
    pace: null,
  },
  sicoob: {
    canIssueOpenAmount: false,
    dueCharges: BACEN_DUE_CHARGES,
    // API PIX 2.0.23.28 has no recurrences.
    journeys: [],
    locksPayer: 'none',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: [],
    transferLookUp: 'handle',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: true,
    canLookUpKey: true,
    issuesReceipts: false,
    creatableKeyTypes: [],
    notifiesByKey: true,
    disputes: null,
    // Sicoob publishes none: assumed for sendings, of which each has two calls, because one that is refused with 429 is unknown.
    pace: { send: { perSecond: 10, burst: 10 }, token: TOKEN_PACE },
  },
  // Its APIs have neither keys nor disputes. A payment is known by Inter's own id, or by the order itself, sent again.
  inter: {
    canIssueOpenAmount: false,
    dueCharges: BACEN_DUE_CHARGES,
    journeys: JOURNEYS,
    locksPayer: 'none',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: ['STATIC', 'DYNAMIC', 'OPEN_DYNAMIC'],
    transferLookUp: 'repeat',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: false,
    canLookUpKey: false,
    issuesReceipts: false,
    creatableKeyTypes: [],
    notifiesByKey: true,
    disputes: null,
    // "Rate limit" of each operation, per minute: a payment 60, and 1 per second; its look-up 20; cob, pix and devolução 120 each; a
    // token 5. The burst and what a minute adds to it stay within each. Payments are a third further apart than a second, because each
    // opens a connection, which takes longer for one than for the next, and one that is refused with 429 is unknown.
    pace: {
      send: { perSecond: 0.75, burst: 1 },
      lookUp: { perSecond: 0.25, burst: 5 },
      charge: { perSecond: 1.5, burst: 30 },
      refund: { perSecond: 1.5, burst: 30 },
      token: { perSecond: 1 / 60, burst: 4 },
    },
  },
  // A transfer goes to an account that is verified first. The API registers no keys and has no disputes.
  stark: {
    canIssueOpenAmount: true,
    // SDK, Invoice: shares in percent, interest a month. "List of up to 5 discounts" (API reference, "Create invoices"). What `PATCH`
    // changes can be looked up: the due day, and until when it can be paid.
    dueCharges: {
      fine: ['PERCENTAGE'],
      interest: ['PERCENTAGE_MONTH_CALENDAR'],
      abatement: [],
      discount: ['PERCENTAGE_UNTIL'],
      maxDiscountSteps: 5,
      needsAddress: false,
      revisable: 'schedule',
    },
    // In the journeys with a first charge Stark Bank makes that charge itself, and no field of an answer names it.
    journeys: ['REQUEST', 'QR'],
    // SDK, DynamicBrcode and Invoice: rule `allowedTaxIds`. An invoice alone restricts nobody ("Pix Invoice").
    locksPayer: 'charge',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: [],
    transferLookUp: 'repeat',
    keepsOrderIds: true,
    refundsOneAtATime: true,
    canCheckDocument: true,
    canLookUpKey: true,
    issuesReceipts: false,
    creatableKeyTypes: [],
    notifiesByKey: false,
    disputes: null,
    pace: null,
  },
}
