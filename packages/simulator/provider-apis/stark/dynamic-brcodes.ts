import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { formatStarkTime } from './ids.ts'
import { buildStarkListPage, readFirstTag } from './list-page.ts'
import { readChargeDetails, type StarkChargeDetails } from './received-pix.ts'
import { brcodeBody, parseStarkBody, readAllowedDocuments } from './schemas.ts'

type StarkBrcodeHandlers = Record<
  'create' | 'list' | 'show',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of dynamic codes, `/dynamic-brcode`: they have no status, and their payments are deposits. */
export function createStarkBrcodeHandlers(state: SimulatorState): StarkBrcodeHandlers {
  const { store } = state
  const isBrcode = (charge: SimulatedCharge) => readChargeDetails(charge).product === 'brcode'
  return {
    create: ({ account, body }, outcome) => {
      const parsed = parseStarkBody(brcodeBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const issued = store.inTransaction(() =>
        parsed.value.brcodes.map(({ amount, displayDescription, rules, expiration, tags }) =>
          issueStarkCharge(state, {
            account,
            outcome,
            cents: amount,
            expiresInSeconds: expiration,
            details: {
              product: 'brcode',
              tags,
              rules,
              expiration,
              allowedDocuments: readAllowedDocuments(rules),
              solicitacaoPagador: displayDescription,
            },
          }),
        ),
      )
      return {
        status: 200,
        body: { message: 'Brcode(s) successfully created', brcodes: issued.map(presentBrcode) },
      }
    },
    list: call =>
      buildStarkListPage(call, {
        field: 'brcodes',
        list: () =>
          listCharges(state, call.account, readFirstTag(call))
            .filter(isBrcode)
            .map(charge => ({
              id: charge.txid,
              createdAt: charge.createdAt,
              tags: readChargeDetails(charge).tags,
              charge,
            })),
        matches: ({ id }, { uuids }) => uuids?.includes(id) ?? true,
        present: ({ charge }) => presentBrcode(charge),
      }),
    show: ({ account, params }) => {
      const charge = state.charges.find(account.id, params.uuid!)
      return charge && isBrcode(charge)
        ? { status: 200, body: { brcode: presentBrcode(charge) } }
        : errors.starkNotFound('Brcode')
    },
  }
}

/** Lists the charges of an account, oldest first; `tag`, as in JSON: only those that may have it. */
export function listCharges(
  { store }: Pick<SimulatorState, 'store'>,
  { id }: SimulatedAccount,
  tag = '',
): (SimulatedCharge & { number: number })[] {
  return store.all(
    `SELECT rowid AS number, * FROM charge WHERE accountId = ? AND instr(details, ?) > 0
     ORDER BY createdAt, rowid`,
    id,
    tag,
  )
}

type StarkChargeOrder = {
  account: SimulatedAccount
  cents: number
  expiresInSeconds: number
  details: StarkChargeDetails
  due?: object | undefined
  outcome: ScriptedOutcome
}

/**
 * Issues a charge under an id of the bank, to the account's first key: "whenever a Workspace is created, an EVP key is created and
 * associated with it".
 */
export function issueStarkCharge(
  { accounts, charges }: SimulatorState,
  { account, outcome, ...order }: StarkChargeOrder,
): SimulatedCharge {
  const key = accounts.listKeys(account.id)[0] ?? accounts.addRandomKey(account.id)
  const issued = charges.issue({ account, key, silent: outcome.kind === 'silent', ...order })
  if (issued.kind === 'txid_in_use') throw new Error('the generated id of a charge exists already')
  // A charge that is rejected after its acceptance is removed by the provider.
  if (outcome.kind === 'rejected') charges.revise(issued.charge, { status: 'removed_by_provider' })
  return issued.charge
}

/** Presents a dynamic code, whose `id` is the code itself; its picture is not served. */
function presentBrcode(charge: SimulatedCharge) {
  const { tags, rules, expiration, solicitacaoPagador } = readChargeDetails(charge)
  return {
    id: charge.payload,
    uuid: charge.txid,
    amount: charge.cents,
    expiration,
    tags,
    rules,
    displayDescription: solicitacaoPagador ?? '',
    pictureUrl: `https://sandbox.api.starkbank.com/v2/dynamic-brcode/${charge.txid}.png`,
    created: formatStarkTime(charge.createdAt),
    updated: formatStarkTime(charge.createdAt),
  }
}
