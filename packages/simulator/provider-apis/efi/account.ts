import { textFromCents } from '../../amount.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { configurationBody, parseEfiBody } from './schemas.ts'

type CallHandlers<Names extends string> = Record<Names, (call: SimulatedCall) => SimulatedResponse>

/** Creates the handlers of `/v2/gn/config` ("Criar/modificar configurações da conta"). */
export function createEfiConfigurationHandlers({
  configurations,
}: SimulatorState): CallHandlers<'put' | 'show'> {
  return {
    put: ({ account, body }) => {
      const parsed = parseEfiBody(configurationBody, body)
      if ('refusal' in parsed) return parsed.refusal
      configurations.replace(account.id, parsed.value)
      return { status: 204 }
    },
    show: ({ account }) => ({ status: 200, body: configurations.find(account.id) }),
  }
}

/** Creates the handlers of random keys, `/v2/gn/evp`. */
export function createEfiKeyHandlers({
  accounts,
}: SimulatorState): CallHandlers<'create' | 'list' | 'remove'> {
  return {
    create: ({ account }) =>
      accounts.canAddKey(account)
        ? { status: 201, body: { chave: accounts.addRandomKey(account.id) } }
        : errors.efiKeyLimitReached(),
    list: ({ account }) => ({ status: 200, body: { chaves: accounts.listRandomKeys(account.id) } }),
    remove: ({ account, params }) =>
      accounts.removeRandomKey(account.id, params.chave!) ? { status: 200 } : errors.efiKeyNotFound(),
  }
}

/** Creates the handler of `GET /v2/gn/saldo`. */
export function createEfiBalanceHandler({
  rail,
}: SimulatorState): (call: SimulatedCall) => SimulatedResponse {
  return ({ account, query }) => {
    const saldo = textFromCents(account.balanceCents)
    const judicialCents = rail.judicialBlockCents(account.id)
    const bloqueios = {
      judicial: textFromCents(judicialCents),
      med: textFromCents(account.blockedCents - judicialCents),
      total: textFromCents(account.blockedCents),
    }
    return { status: 200, body: query.get('bloqueios') === 'true' ? { saldo, bloqueios } : { saldo } }
  }
}
