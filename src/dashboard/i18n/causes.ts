import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { Language } from './translator.ts'

/**
 * The catalogue of causes: why an operation was refused, or has no outcome, by the code that is stored with it or with its attempt. Each code
 * has a title and a sentence in `causes.<language>.json`, and here what its reader can do.
 */

/** What can be done about each cause: a phrase `causeAction.<action>` and the codes that it is for. */
const CODES_BY_ACTION = {
  check_receiver: [
    'AC03',
    'AC07',
    'AC14',
    'AG03',
    'RC10',
    'pix_key_not_found',
    'pix_key_unreadable',
    'account_not_found',
    'account_not_active',
    'receiver_changed',
    'key_blocked_for_fraud',
  ],
  ask_receiver: [
    'AB09',
    'AC06',
    'BE15',
    'BE17',
    'DS02',
    'DS04',
    'FRAD',
    'INDT',
    'RR04',
    'RR06',
    'payment_denied',
  ],
  check_document: ['BE01', 'CH11', 'document_mismatch'],
  check_earlier: ['DU03', 'DUPL', 'possible_duplicate'],
  add_balance: ['insufficient_balance'],
  lower_value: ['AM02', 'AM23', 'transfer_limit', 'provider_limit', 'over_limit'],
  try_later: [
    'AB03',
    'AB11',
    'DS27',
    'ED05',
    'rate_limited',
    'refund_in_progress',
    'paused',
    'paced',
    'no_provider_available',
    'dns_failed',
    'connection_refused',
    'connection_reset',
    'connection_failed',
  ],
  try_other: [
    'AG12',
    'AGNT',
    'AM04',
    'AM12',
    'AM18',
    'BE05',
    'CH16',
    'DS0G',
    'DT02',
    'FF07',
    'FF08',
    'RC09',
    'account_type_unsupported',
    'document_unsupported',
    'document_unchecked',
    'provider_rejected',
    'charge_refused',
    'recurrence_refused',
    'consent_request_refused',
    'debtor_unsupported',
    'due_unsupported',
    'due_terms_unsupported',
    'qr_code_unsupported',
    'key_unsupported',
    'provider_inactive',
  ],
  repeat: [
    'preparation_expired',
    'reference_in_use',
    'auth_code_used',
    'settled_by_operator',
    'not_started',
    'not_found_after_restore',
  ],
  change_order: [
    'AM01',
    'AM09',
    'same_account',
    'provider_validation',
    'refund_above_remainder',
    'expiry_too_short',
    'too_late',
    'open_amount_unsupported',
    'debtor_missing',
    'external_ref_in_use',
  ],
  contact_provider: ['provider_denied', 'provider_account_blocked', 'no_token'],
  contact_support: [
    'AG13',
    'CN01',
    'MD01',
    'SL02',
    'UPAY',
    'payment_not_found',
    'deposit_not_returnable',
    'collection_key_invalid',
    'collection_key_missing',
    'receiver_account_missing',
    'payer_key_missing',
    'account_blocked',
    'credentials_unusable',
    'tls_failed',
    'certificate_expired',
    'value_differs',
    'receiver_differs',
    'not_recordable',
    'unlisted',
  ],
  transfer_instead: ['DT05', 'refund_refused', 'refund_period_over', 'return_period_over'],
  approve_there: ['awaiting_approval'],
  wait_dispute: ['refund_med_open', 'return_med_open'],
  wait: [
    'payment_changed',
    'payment_not_listed',
    'payment_unidentified',
    'reversal_undecided',
    'transfer_not_listed',
    'payload_missing',
    'recurrence_code_refused',
    'cancellation_pending',
    'another_is_being_made',
    'credentials_changed',
    'waits_for_approval',
    'connection_lost',
    'timeout',
    'not_connected',
    'interrupted',
    'http',
    'unreadable_answer',
    'duplicate_id',
    'not_found',
    'no_longer_found',
    'no_handle',
  ],
  none: [
    'charge_not_refundable',
    'return_in_progress',
    'kept_for_the_account',
    'not_ordered',
    'returned_by_dispute',
    'key_already_registered',
    'key_in_use',
    'key_limit',
    'pix_key_already_registered',
    'pix_key_limit',
    'already_ended',
  ],
} as const satisfies Record<string, readonly string[]>
type CauseAction = keyof typeof CODES_BY_ACTION

const ACTIONS = new Map<string, CauseAction>(
  Object.entries(CODES_BY_ACTION).flatMap(([action, codes]) =>
    codes.map(code => [code, action as CauseAction] as const),
  ),
)

/** Actions that ask for another receiver, or for other details of the same one: the transfer can be repeated to another key. */
const OTHER_RECEIVER_ACTIONS: readonly CauseAction[] = ['check_receiver', 'ask_receiver', 'check_document']

type CauseTexts = { title: string; text: string }
export type Cause = CauseTexts & { action: CauseAction; asksOtherReceiver: boolean }

/** Codes of an order that had ended before it could be sent: the state in which it was (`PayoutHandler.closedReason`). */
const ENDED_STATES: readonly string[] = [transferMachine, refundMachine].flatMap(machine =>
  machine.states.filter(state => machine.isFinal(state as never)),
)

const TEXTS: Record<Language, Record<string, CauseTexts>> = {
  'pt-BR': readCauseTexts('pt-BR'),
  en: readCauseTexts('en'),
}

/** Reads the texts of a language by the codes of the catalogue. */
export function readCauseTexts(language: Language): Record<string, CauseTexts> {
  const file = join(import.meta.dirname, `causes.${language.toLowerCase()}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Lists the codes of the catalogue that have an action. */
export function listCauseCodes(): string[] {
  return [...ACTIONS.keys()]
}

/** Tells whether the catalogue explains a code. */
export function isListedCause(code: string): boolean {
  return ACTIONS.has(findCauseName(code))
}

/** Describes why an operation was refused, or has no outcome; a code that is not listed as refused without a reason. */
export function describeCause(language: Language, code: string | null | undefined): Cause {
  const name = findCauseName(code ?? '')
  const listed = ACTIONS.has(name) ? name : 'unlisted'
  const action = ACTIONS.get(listed)!
  return { ...TEXTS[language][listed]!, action, asksOtherReceiver: OTHER_RECEIVER_ACTIONS.includes(action) }
}

/** Finds the entry of a code: one for all HTTP statuses, and one for all states in which an operation has ended. */
function findCauseName(code: string): string {
  if (/^http_\d{3}$/.test(code)) return 'http'
  return ENDED_STATES.includes(code) ? 'already_ended' : code
}
