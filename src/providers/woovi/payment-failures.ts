import { finalityOf, isRailCode, RAIL_CODES } from '../../domain/pix/rail-codes.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import {
  type AnswerMeaning,
  refusalByEveryProvider,
  refusalByProvider,
  refusalByRail,
} from '../adapter/documented-answers.ts'

type RefusalMeaning = Extract<AnswerMeaning, { kind: 'refused' }>

/** A code that Woovi publishes for failed payments; it does not apply to requests that Woovi refuses. */
type FailureCode = { name: string; meaning: RefusalMeaning; source: string }

const FAILED_PAYMENTS_PAGE = 'Woovi Developers, Pagamentos: Como identificar os erros de um pagamento falho?'
const SANDBOX_PAGE = 'Woovi Developers, Pagamentos: Simulação de Erros no Sandbox'

const buildFailureCode = (name: string, meaning: AnswerMeaning, source: string): FailureCode => ({
  name,
  meaning: meaning as RefusalMeaning,
  source,
})

/** Woovi's codes of failed payments, in `error.code` of the payment. */
const FAILURE_CODES: readonly FailureCode[] = [
  buildFailureCode('NOT_ENOUGH_BALANCE', refusalByProvider('insufficient_balance'), FAILED_PAYMENTS_PAGE),
  buildFailureCode('REACH_TRANSFER_LIMIT', refusalByProvider('provider_limit'), FAILED_PAYMENTS_PAGE),
  buildFailureCode('ALIAS_LIMIT_ERROR', refusalByProvider('provider_limit'), FAILED_PAYMENTS_PAGE),
  buildFailureCode('PIX_KEY_INFO_ERROR', refusalByProvider('pix_key_unreadable'), FAILED_PAYMENTS_PAGE),
  buildFailureCode(
    'PIX_KEY_INFO_NOT_FOUND',
    refusalByEveryProvider('pix_key_not_found'),
    FAILED_PAYMENTS_PAGE,
  ),
  buildFailureCode('INVALID_PIX_KEY', refusalByEveryProvider('pix_key_not_found'), FAILED_PAYMENTS_PAGE),
  buildFailureCode(
    'ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER',
    refusalByEveryProvider('payment_denied'),
    FAILED_PAYMENTS_PAGE,
  ),
  buildFailureCode('ACCOUNT_LIMIT_ERROR', refusalByProvider('provider_limit'), SANDBOX_PAGE),
  buildFailureCode(
    'ACCOUNT_TRANSACTION_BLOCKED_BY_MED',
    refusalByProvider('provider_account_blocked'),
    SANDBOX_PAGE,
  ),
  buildFailureCode('SAME_ACCOUNT_TRANSFER', refusalByProvider('same_account'), SANDBOX_PAGE),
  buildFailureCode('ACCOUNT_NOT_FOUND', refusalByEveryProvider('account_not_found'), SANDBOX_PAGE),
  buildFailureCode('PAY_PIX_KEY_ERROR', refusalByRail('provider_rejected'), FAILED_PAYMENTS_PAGE),
  buildFailureCode('PIX_OUT_NOT_AUTHORIZED', refusalByRail('provider_rejected'), SANDBOX_PAGE),
]

const MAX_MESSAGE_LENGTH = 300

export type WooviPaymentFailure = {
  railCode?: string | null | undefined
  reason?: string | null | undefined
  name?: string | null | undefined
  description?: string | null | undefined
}

/** Converts the failure of an accepted payment or refund to our code: the rail's, or else that of Woovi's code. */
export function toWooviRejection({ railCode, reason, name, description }: WooviPaymentFailure): {
  code: string
  message: string
} {
  const failureCode = FAILURE_CODES.find(failure => failure.name === name)?.meaning.code
  const code =
    toRailCode(railCode) ??
    toRailCode(reason?.split(REASON_SEPARATOR)[0]) ??
    failureCode ??
    'provider_rejected'
  const message = reason || description || RAIL_CODES[code]?.meaning || 'The provider did not carry it out'
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH) }
}

/** Separates code and text in `providerRejectedReason`: `BE17 - QR Code rejeitado` ("Códigos de Erro"). */
const REASON_SEPARATOR = ' - '

function toRailCode(text: string | null | undefined): string | undefined {
  return text && isRailCode(text) ? text : undefined
}

/** Gets the finality of a failed payment by our code, from Woovi's table, else the rail's; else `final`. */
export function getFailureFinality(code: string): RejectedResult['finality'] {
  return FAILURE_CODES.find(({ meaning }) => meaning.code === code)?.meaning.finality ?? finalityOf(code)
}
