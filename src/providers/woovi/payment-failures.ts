import { finalityOf, isRailCode } from '../../domain/pix/rail-codes.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import {
  type RefusalMeaning,
  refusalByEveryProvider,
  refusalByProvider,
  refusalByRail,
} from '../adapter/documented-answers.ts'
import { toPayoutRejection } from '../adapter/outcomes.ts'

/** Codes that "Como identificar os erros de um pagamento falho?" (Woovi Developers, Pagamentos) lists. */
const FAILED_PAYMENTS_PAGE_CODES = {
  NOT_ENOUGH_BALANCE: refusalByProvider('insufficient_balance'),
  REACH_TRANSFER_LIMIT: refusalByProvider('provider_limit'),
  ALIAS_LIMIT_ERROR: refusalByProvider('provider_limit'),
  PIX_KEY_INFO_ERROR: refusalByProvider('pix_key_unreadable'),
  PIX_KEY_INFO_NOT_FOUND: refusalByEveryProvider('pix_key_not_found'),
  INVALID_PIX_KEY: refusalByEveryProvider('pix_key_not_found'),
  ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER: refusalByEveryProvider('payment_denied'),
  PAY_PIX_KEY_ERROR: refusalByRail('provider_rejected'),
}
/** Codes that "Simulação de Erros no Sandbox" (Woovi Developers, Pagamentos) adds. */
const SANDBOX_PAGE_CODES = {
  ACCOUNT_LIMIT_ERROR: refusalByProvider('provider_limit'),
  ACCOUNT_TRANSACTION_BLOCKED_BY_MED: refusalByProvider('provider_account_blocked'),
  SAME_ACCOUNT_TRANSFER: refusalByProvider('same_account'),
  ACCOUNT_NOT_FOUND: refusalByEveryProvider('account_not_found'),
  PIX_OUT_NOT_AUTHORIZED: refusalByRail('provider_rejected'),
}
/** Codes in `error.code` of a failed payment; they do not apply to requests that Woovi refuses. */
const FAILURE_CODES = new Map<string | null | undefined, RefusalMeaning>(
  Object.entries({ ...FAILED_PAYMENTS_PAGE_CODES, ...SANDBOX_PAGE_CODES }),
)

type WooviPaymentFailure = Partial<
  Record<'railCode' | 'reason' | 'name' | 'description', string | null | undefined>
>

/** Converts the failure of an accepted payment or refund to our code: the rail's, or else that of Woovi's code. */
export function toWooviRejection({ railCode, reason, name, description }: WooviPaymentFailure) {
  const reasonCode = toRailCode(reason?.split(REASON_SEPARATOR)[0])
  const code = toRailCode(railCode) ?? reasonCode ?? FAILURE_CODES.get(name)?.code
  return toPayoutRejection(code, reason || description)
}

/** Separates code and text in `providerRejectedReason`: `BE17 - QR Code rejeitado` ("Códigos de Erro"). */
const REASON_SEPARATOR = ' - '

function toRailCode(text: string | null | undefined): string | undefined {
  return text && isRailCode(text) ? text : undefined
}

/** Gets the finality of a failed payment by our code, from Woovi's table, else the rail's; else `final`. */
export function getFailureFinality(code: string): RejectedResult['finality'] {
  return [...FAILURE_CODES.values()].find(meaning => meaning.code === code)?.finality ?? finalityOf(code)
}
