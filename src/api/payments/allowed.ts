import { inOrderOfTrust } from '../../db/breaker.ts'
import type { EntityManager } from '../../db/orm.ts'
import { askedFeeOf, MOST_CENTS } from '../../domain/money.ts'
import { CAPABILITIES } from '../../domain/provider.ts'
import { type Split, sumFault } from '../../domain/split.ts'
import { uuid } from '../../wire/common.ts'
import { type CreatePayment, createPayment } from '../../wire/payment.ts'
import type { Token } from '../auth.ts'
import { candidatesFor, wrongProvider } from '../candidates.ts'
import type { FieldErrors } from '../check.ts'
import { named, refuse } from '../errors.ts'
import { unpaused } from '../paused.ts'

/** What no schema can say of a new charge, because it takes the database or two fields at once. */

type Caller = { em: EntityManager; token: Token }

/**
 * The splits of a charge that may be created, and its candidates in the order of trying; else 422 with all that is wrong,
 * or 503 while paused.
 */
export async function allowed(
  caller: Caller,
  body: CreatePayment,
): Promise<{ splits: Split[]; candidates: string[] }> {
  const splits = body.splits.map(asSplit)
  const errors: FieldErrors = {
    ...sumErrors(splits, body.value),
    ...(await recipientErrors(
      caller,
      splits.map(split => split.recipientAccountUuid),
    )),
  }
  const candidates = await named(
    errors,
    candidatesFor(caller.em, { ...caller, providerUuid: body.provider_uuid }),
  )
  const able = candidates?.filter(one => body.value > 0 || CAPABILITIES[one.dialect].openAmount) ?? []
  const payable = able.filter(one => body.value + askedFeeOf(body.value, one.fees) <= MOST_CENTS)
  if (candidates && able.length === 0 && !errors.value)
    errors.value = ['no provider of this charge can leave the value open']
  else if (candidates && payable.length === 0 && !errors.value)
    errors.value = ['must not exceed 9999999999.99 together with its fee']
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  return { splits, candidates: await inOrderOfTrust(caller.em, unpaused(payable, 'in')) }
}

/** The same for a body that its schema has refused already, as far as it can be read: all is said at once. */
export async function alsoWrong({ em, token, body }: Caller & { body: unknown }): Promise<FieldErrors> {
  const { splits } = Object(body)
  const money = createPayment.pick({ value: true, splits: true }).safeParse(body).data
  const recipients = Array.isArray(splits) ? splits.slice(0, MOST_SPLITS) : []
  return {
    ...(money && sumErrors(money.splits.map(asSplit), money.value)),
    ...(await recipientErrors(
      { em, token },
      recipients.map(split => uuid.safeParse(Object(split).recipient_account_uuid).data),
    )),
    ...(await wrongProvider({ em, token, body })),
  }
}

const MOST_SPLITS = 100

function asSplit(split: CreatePayment['splits'][number]): Split {
  return { type: split.type, amount: split.value, recipientAccountUuid: split.recipient_account_uuid }
}

function sumErrors(splits: Split[], valueCents: number): FieldErrors {
  const fault = sumFault(splits, valueCents)
  return fault ? { [fault.field]: [fault.message] } : {}
}

/** Recipients must exist and not be the charge's own account; one that cannot be read is not ours to judge. */
async function recipientErrors({ em, token }: Caller, uuids: (string | undefined)[]): Promise<FieldErrors> {
  const asked = uuids.filter(uuid => uuid !== undefined)
  if (asked.length === 0) return {}
  const rows: { uuid: string }[] = await em.execute(
    'select uuid from account where uuid = any(array[?]::uuid[])',
    [asked],
  )
  const known = new Set(rows.map(row => row.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    const field = `splits.${index}.recipient_account_uuid`
    if (uuid === token.accountUuid) errors[field] = ["must not be the charge's own account"]
    else if (uuid !== undefined && !known.has(uuid)) errors[field] = ['there is no such account']
  }
  return errors
}
