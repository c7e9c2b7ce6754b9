import {
  type CreateChargeBody,
  createChargeBody,
  MAX_SPLITS,
  splitBody,
} from '../../../contract/charges/charge.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import type { Connection } from '../../../db/entities/connection.ts'
import { orderByCircuitState } from '../../../db/repositories/circuit-breaker.ts'
import {
  type ChargeSplit,
  findSplitErrors,
  findSplitSumError,
  type PartialSplit,
} from '../../../domain/charges/split.ts'
import { computeQuotedFeeCents, MAX_CENTS } from '../../../domain/ledger/money.ts'
import { PROVIDER_CAPABILITIES } from '../../../domain/providers/provider.ts'
import { collectFieldErrors, fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { requireUnpausedConnections } from '../../routing/pause-check.ts'
import { findCandidates } from '../../routing/provider-candidates.ts'

/** Validation of a new charge beyond its schema: rules that need the database or two fields at once. */

type ChargeCaller = { em: EntityManager; token: CallerToken }

/** Returns splits and candidates in the order of trying; fails with all 422 errors, or 503 while all are paused. */
export async function validateCreateCharge(caller: ChargeCaller, body: CreateChargeBody) {
  const splits = body.splits.map(
    ({ type, value, recipient_account_uuid }): ChargeSplit => ({
      type,
      amount: value,
      recipientAccountUuid: recipient_account_uuid,
    }),
  )
  const { errors, payable } = await evaluateCharge(caller, { ...body, splits })
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  return {
    splits,
    candidates: await orderByCircuitState(caller.em, requireUnpausedConnections(payable, 'in')),
  }
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectChargeErrors({ em, token, body }: ChargeCaller & { body: unknown }) {
  const input = Object(body)
  const { value, provider_uuid } = createChargeBody.shape
  const fields = {
    value: value.safeParse(input.value).data,
    splits: Array.isArray(input.splits) ? input.splits.slice(0, MAX_SPLITS).map(parseSplitFields) : [],
  }
  const provider = provider_uuid.safeParse(input.provider_uuid)
  if (!provider.success) return collectSplitErrors({ em, token }, fields)
  return (await evaluateCharge({ em, token }, { ...fields, provider_uuid: provider.data })).errors
}

type ReadableChargeBody = { value: number | undefined; splits: PartialSplit[] }

function parseSplitFields(split: unknown): PartialSplit {
  const input = Object(split)
  const { type, value, recipient_account_uuid } = splitBody.shape
  return {
    type: type.safeParse(input.type).data,
    amount: value.safeParse(input.value).data,
    recipientAccountUuid: recipient_account_uuid.safeParse(input.recipient_account_uuid).data,
  }
}

async function evaluateCharge(
  caller: ChargeCaller,
  { provider_uuid: providerUuid, ...body }: ReadableChargeBody & { provider_uuid?: string | undefined },
): Promise<{ errors: FieldErrors; payable: Connection[] }> {
  const { value } = body
  const errors = await collectSplitErrors(caller, body)
  const candidates = await collectFieldErrors(errors, findCandidates(caller.em, { ...caller, providerUuid }))
  if (!candidates || value === undefined) return { errors, payable: [] }
  const capable = candidates.filter(one => value > 0 || PROVIDER_CAPABILITIES[one.dialect].canIssueOpenAmount)
  const payable = capable.filter(one => value + computeQuotedFeeCents(value, one.fees) <= MAX_CENTS)
  if (capable.length === 0) errors.value = ['is required: no provider of this charge supports an open value']
  else if (payable.length === 0) errors.value = ['must not exceed 9999999999.99 together with its fee']
  return { errors, payable }
}

async function collectSplitErrors(caller: ChargeCaller, { value, splits }: ReadableChargeBody) {
  const sum = value === undefined ? null : findSplitSumError(splits, value)
  const faults = Map.groupBy([...findSplitErrors(splits), ...(sum ? [sum] : [])], fault => fault.field)
  const errors = Array.from(faults, ([field, found]) => [field, found.map(fault => fault.message)])
  const recipients = splits.map(split => split.recipientAccountUuid)
  return { ...Object.fromEntries(errors), ...(await collectRecipientErrors(caller, recipients)) }
}

async function collectRecipientErrors({ em, token }: ChargeCaller, uuids: (string | undefined)[]) {
  const recipientUuids = uuids.filter(uuid => uuid !== undefined)
  if (recipientUuids.length === 0) return {}
  const accounts = await em.find(Account, { uuid: recipientUuids }, { fields: ['uuid'] })
  const existing = new Set(accounts.map(account => account.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    const field = `splits.${index}.recipient_account_uuid`
    if (uuid === token.accountUuid) errors[field] = ["must not be the charge's own account"]
    else if (uuid !== undefined && !existing.has(uuid)) errors[field] = ['must be an existing account']
  }
  return errors
}
