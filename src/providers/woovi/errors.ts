import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { finalityOf, isRailCode, railCodes } from '../../domain/rail-codes.ts'
import type { Answer } from '../exchange.ts'
import type { Refusal } from '../outcomes.ts'

/**
 * Woovi refuses with a sentence, in Portuguese or English, and names only some of its reasons (`errorCode`). A
 * framework's or proxy's page has an `error` too: the status in words, which must not pass for Woovi's.
 */
const sentence = z
  .string()
  .min(1)
  .refine(text => !Object.values(STATUS_CODES).includes(text))
const wooviError = z.union([
  z
    .object({ error: sentence, errorCode: z.string().nullish() })
    .transform(({ error, errorCode }): WooviError => ({ text: error, name: errorCode ?? undefined })),
  z
    .object({ errors: z.array(z.object({ message: sentence })).min(1) })
    .transform(({ errors }): WooviError => ({ text: errors.map(({ message }) => message).join('; ') })),
])
type WooviError = { text: string; name?: string }

const LONGEST_MESSAGE = 300

/** The no in a 4xx of Woovi's, or undefined where these are not its words: a proxy's page proves nothing. */
export function refusalOf(answer: Answer): Refusal | undefined {
  const parsed = wooviError.safeParse(answer.json)
  if (!parsed.success) return answer.status === 401 ? unauthorized : undefined
  const error = parsed.data
  return {
    says: says(error),
    ...classOf(answer.status, error),
    providerCode: error.name,
    message: error.text.slice(0, LONGEST_MESSAGE),
  }
}

type Class = Pick<Refusal, 'code' | 'finality'>

/** Our name for each refusal, and whether its cause is the provider's or travels with the payment. */
function classOf(status: number, { text, name = '' }: WooviError): Class {
  const code = railCodeIn(text)
  if (code) return { code, finality: finalityOf(code) }
  if (status === 401 || status === 403) return otherMayHelp('provider_denied')
  return named(name) ?? sentences.find(([pattern]) => pattern.test(text))?.[1] ?? unnamed
}

function named(name: string): Class | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined
}

/** `AC03 - Conta inexistente`: the rail's code as Woovi writes it before the reason. */
function railCodeIn(text: string): string | undefined {
  const code = /^([A-Z0-9]{4}) - /.exec(text)?.[1]
  return code && isRailCode(code) ? code : undefined
}

const otherMayHelp = (code: string): Class => ({ code, finality: 'other_may_help' })
const final = (code: string): Class => ({ code, finality: 'final' })
const unnamed = otherMayHelp('provider_rejected')

/** As its pages on failed payments and on the sandbox name them. */
const names: Record<string, Class> = {
  NOT_ENOUGH_BALANCE: otherMayHelp('insufficient_balance'),
  REACH_TRANSFER_LIMIT: otherMayHelp('provider_limit'),
  ACCOUNT_LIMIT_ERROR: otherMayHelp('provider_limit'),
  ALIAS_LIMIT_ERROR: otherMayHelp('provider_limit'),
  ACCOUNT_TRANSACTION_BLOCKED_BY_MED: otherMayHelp('provider_account_blocked'),
  SAME_ACCOUNT_TRANSFER: otherMayHelp('same_account'),
  PIX_KEY_INFO_ERROR: otherMayHelp('pix_key_unreadable'),
  PIX_KEY_INFO_NOT_FOUND: final('pix_key_not_found'),
  INVALID_PIX_KEY: final('pix_key_not_found'),
  ACCOUNT_NOT_FOUND: final('account_not_found'),
}

const sentences: [pattern: RegExp, its: Class][] = [
  [/chave.*(não encontrad|not found)|pix ?key.*not found/i, final('pix_key_not_found')],
  [/chave.*(padrão|default)|default.*key/i, final('key_in_use')],
  [/disput.*(não encontrad|not found)/i, final('med_not_found')],
  [/disput.*(prazo|deadline)|(prazo|deadline).*disput/i, final('reply_refused')],
  [/saldo|enough balance/i, otherMayHelp('insufficient_balance')],
  [/limite|limit\b/i, otherMayHelp('provider_limit')],
  [/fraud/i, final('payment_denied')],
  [/(transação|transaction)\b.*(não encontrad|not found)/i, final('payment_not_found')],
]

const TAKEN =
  /já existe|já (?:está )?(?:cadastrad|registrad)|already (?:exists|registered)|duplicate|duplicad/i
/** Of the thing itself: an account or application that is not found says nothing about a payment. */
const ABSENT =
  /^(?:[\w-]+ )?(?:cobrança|pagamento|reembolso|transação|disputa|recuperação|charge|payment|refund|transaction|dispute|recovery)\b.*(?:não encontrad|não existe|not found)/i

function says({ text }: WooviError): Refusal['says'] {
  if (railCodeIn(text)) return 'no'
  if (TAKEN.test(text)) return 'duplicate'
  return ABSENT.test(text) ? 'absent' : 'no'
}

/** Of a payment that failed at once: Woovi's names know it, the rail's codes do, and of anything else nobody shops around. */
export function finalityOfFailure(code: string): Refusal['finality'] {
  return Object.values(names).find(one => one.code === code)?.finality ?? finalityOf(code)
}

/** Nothing was done without an AppID, whoever says so. */
const unauthorized: Refusal = {
  says: 'no',
  ...otherMayHelp('provider_denied'),
  message: 'Woovi does not take our AppID',
}

export type Failure = { reason?: string | null; name?: string | null; description?: string | null }

/** Why a movement that Woovi had taken failed: the rail's code where it tells one, else Woovi's name for it. */
export function rejectionOf({ reason, name, description }: Failure) {
  const code = railCodeIn(reason ?? '') ?? named(name ?? '')?.code ?? 'provider_rejected'
  const message = reason || description || railCodes[code]?.meaning || 'The provider did not carry it out'
  return { code, message: message.slice(0, LONGEST_MESSAGE) }
}
