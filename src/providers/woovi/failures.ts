import type { Rejected } from '../../domain/provider.ts'
import { finalityOf, isRailCode, railCodes } from '../../domain/rail-codes.ts'
import { type Meaning, refusedByRail, refusedEverywhere, refusedHere } from '../documented.ts'

type Refusal = Extract<Meaning, { kind: 'refused' }>

/** A code that Woovi publishes for a payment that failed. It says nothing about a request that is refused. */
type FailureCode = { name: string; meaning: Refusal; source: string }

const FAILED = 'Woovi Developers, Pagamentos: Como identificar os erros de um pagamento falho?'
const SANDBOX = 'Woovi Developers, Pagamentos: Simulação de Erros no Sandbox'

const code = (name: string, meaning: Meaning, source: string): FailureCode => ({
  name,
  meaning: meaning as Refusal,
  source,
})

/** Woovi's codes of payments that failed: `error.code` of the payment. */
const failureCodes: readonly FailureCode[] = [
  code('NOT_ENOUGH_BALANCE', refusedHere('insufficient_balance'), FAILED),
  code('REACH_TRANSFER_LIMIT', refusedHere('provider_limit'), FAILED),
  code('ALIAS_LIMIT_ERROR', refusedHere('provider_limit'), FAILED),
  code('PIX_KEY_INFO_ERROR', refusedHere('pix_key_unreadable'), FAILED),
  code('PIX_KEY_INFO_NOT_FOUND', refusedEverywhere('pix_key_not_found'), FAILED),
  code('INVALID_PIX_KEY', refusedEverywhere('pix_key_not_found'), FAILED),
  code('ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER', refusedEverywhere('payment_denied'), FAILED),
  code('ACCOUNT_LIMIT_ERROR', refusedHere('provider_limit'), SANDBOX),
  code('ACCOUNT_TRANSACTION_BLOCKED_BY_MED', refusedHere('provider_account_blocked'), SANDBOX),
  code('SAME_ACCOUNT_TRANSFER', refusedHere('same_account'), SANDBOX),
  code('ACCOUNT_NOT_FOUND', refusedEverywhere('account_not_found'), SANDBOX),
  code('PAY_PIX_KEY_ERROR', refusedByRail('provider_rejected'), FAILED),
  code('PIX_OUT_NOT_AUTHORIZED', refusedByRail('provider_rejected'), SANDBOX),
]

const LONGEST_MESSAGE = 300

export type Failure = {
  railCode?: string | null | undefined
  reason?: string | null | undefined
  name?: string | null | undefined
  description?: string | null | undefined
}

/** Why a payment or refund that Woovi had taken failed: the rail's code where it tells one, else Woovi's code for it. */
export function rejectionOf({ railCode, reason, name, description }: Failure): {
  code: string
  message: string
} {
  const listed = failureCodes.find(one => one.name === name)?.meaning.code
  const ownCode =
    railCodeOf(railCode) ?? railCodeOf(reason?.split(SEPARATOR)[0]) ?? listed ?? 'provider_rejected'
  const message = reason || description || railCodes[ownCode]?.meaning || 'The provider did not carry it out'
  return { code: ownCode, message: message.slice(0, LONGEST_MESSAGE) }
}

/** `BE17 - QR Code rejeitado`: how `providerRejectedReason` carries the code ("Códigos de Erro de Pagamento PIX"). */
const SEPARATOR = ' - '

function railCodeOf(text: string | null | undefined): string | undefined {
  return text && isRailCode(text) ? text : undefined
}

/** Of a payment that failed: Woovi's codes tell, else the rail's; what neither lists no other provider is asked for. */
export function finalityOfFailure(failure: string): Rejected['finality'] {
  return failureCodes.find(({ meaning }) => meaning.code === failure)?.meaning.finality ?? finalityOf(failure)
}
