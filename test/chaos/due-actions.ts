import { showDue } from '../../src/contract/charges/due.ts'
import { addDays, findBusinessDay } from '../../src/domain/charges/business-days.ts'
import type { DueTerms } from '../../src/domain/charges/due-terms.ts'
import { reaisFromCents } from '../../src/domain/ledger/money.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import type { PlannedDue } from './due-generators.ts'
import { createOrderRequests } from './order-requests.ts'
import {
  API_PATHS,
  type OperationOf,
  type OperationOutcome,
  type StormContext,
  uuidOf,
} from './storm-context.ts'

/** Who owes every charge with a due date of a storm; Woovi needs the address. */
const DEBTOR = {
  name: 'Ana Souza',
  document: '52998224725',
  address: { street: 'Rua das Tempestades', city: 'São Paulo', state: 'SP', zip_code: '01310100' },
}

/** Builds the members of a request that a charge with a due date has. */
export function buildDueMembers(due: PlannedDue) {
  return { debtor: DEBTOR, due: buildDue(due) }
}

function buildDue({ api: _, inDays, discount, ...rest }: PlannedDue) {
  const today = computeBrasiliaDay(new Date())
  // Provider APIs differ in where a due day moves that is no business day.
  const dayIn = (days: number) => findBusinessDay(addDays(today, days))
  const terms: DueTerms = {
    ...rest,
    on: dayIn(inDays),
    discount:
      discount?.kind === 'until'
        ? {
            kind: 'until',
            steps: discount.steps.map(({ inDays: days, ...amount }) => ({ ...amount, on: dayIn(days) })),
          }
        : discount,
  }
  return toRequest(showDue(terms))
}

/** Amounts of requests are in reais and percent. */
function toRequest(due: ReturnType<typeof showDue>): unknown {
  return JSON.parse(JSON.stringify(due), (name, value) => (name === 'value' ? reaisFromCents(value) : value))
}

/** What merchants do with charges with a due date in a storm. */
export function createDueActions(scene: StormContext) {
  const { run, outcomeOf, merchantOf, placeOfMerchant, recordRequest, skipOperation } = scene
  const { postConcurrently } = createOrderRequests(scene)

  return { reviseCharge }

  /** Changes a charge, whatever has become of it: one that is paid or has ended refuses it. */
  async function reviseCharge(
    { charge: of, cents, due, asking }: OperationOf<'revise'>,
    place: number,
  ): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(of)
    if (!uuid) return skipOperation('revise')
    const key = asking.keyed ? `${run}-${place}` : null
    const request = {
      method: 'PATCH' as const,
      path: `${API_PATHS.charge}/${uuid}`,
      token: merchantOf(of).token,
      key,
      body: { ...(cents !== null && { value: reaisFromCents(cents) }), ...(due && { due: buildDue(due) }) },
    }
    const merchant = placeOfMerchant(of)
    const mine = recordRequest({ place, kind: 'revise_charge', merchant, key, externalRef: null })
    await postConcurrently(mine, request, asking.times)
    return { uuid: uuidOf(mine), request, record: mine }
  }
}
