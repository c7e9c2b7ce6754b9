import { buildStaticBrCode } from '../../br-code.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { parseWooviBody, staticCodeBody } from './schemas.ts'
import { presentWooviStaticCode, type WooviStaticCode } from './static-codes.ts'

type StaticCodeHandlers = Record<
  'create' | 'show' | 'list' | 'remove',
  (call: SimulatedCall) => SimulatedResponse
>

/**
 * Creates the handlers of `/qrcode-static`, which find a static code by Woovi's id, its correlationID or its
 * identifier.
 */
export function createWooviStaticCodeHandlers(state: SimulatorState): StaticCodeHandlers {
  const { store } = state
  const find = (accountId: string, id: string) =>
    store.first<WooviStaticCode>(
      `SELECT * FROM wooviStaticCode
       WHERE accountId = ? AND isDeleted = 0 AND (id = ? OR correlationID = ? OR identifier = ?)`,
      accountId,
      id,
      id,
      id,
    )

  return {
    create: call => createStaticCode(state, call),
    show: ({ account, params }) => {
      const code = find(account.id, params.id!)
      return code
        ? { status: 200, body: { pixQrCode: presentWooviStaticCode(code) } }
        : errors.staticCodeNotFound()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'pixQrCodes',
        between: ({ from, to }) =>
          store.all<WooviStaticCode>(
            `SELECT * FROM wooviStaticCode
             WHERE accountId = ? AND isDeleted = 0 AND createdAt BETWEEN ? AND ? ORDER BY createdAt, rowid`,
            call.account.id,
            from,
            to,
          ),
        present: presentWooviStaticCode,
      }),
    remove: ({ account, params }) => {
      const code = find(account.id, params.id!)
      if (!code) return errors.staticCodeNotFound()
      store.run(
        'UPDATE wooviStaticCode SET isDeleted = 1 WHERE accountId = ? AND id = ?',
        account.id,
        code.id,
      )
      return { status: 200, body: { status: 'OK', id: code.correlationID } }
    },
  }
}

function createStaticCode(
  { accounts, ids, store, now }: SimulatorState,
  { account, body }: SimulatedCall,
): SimulatedResponse {
  const parsed = parseWooviBody(staticCodeBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const id = ids.panelId()
  const { name, value = null, comment = null, pixKey, identifier = id } = parsed.value
  const { correlationID = id } = parsed.value
  const key = pixKey ?? accounts.listKeys(account.id)[0]
  if (key === undefined) return errors.accountWithoutKey()
  if (accounts.findByKey(key)?.id !== account.id) return errors.invalidKey()
  const existing = store.first(
    'SELECT 1 FROM wooviStaticCode WHERE accountId = ? AND (correlationID = ? OR identifier = ?)',
    account.id,
    correlationID,
    identifier,
  )
  if (existing) return errors.staticCodeIdInUse()

  const payload = buildStaticBrCode({
    key,
    txid: identifier,
    merchantName: account.holderName,
    merchantCity: account.city,
    ...(value === null ? {} : { cents: value }),
    ...(comment === null ? {} : { description: comment }),
  })
  const code: WooviStaticCode = {
    accountId: account.id,
    id,
    correlationID,
    identifier,
    name,
    cents: value,
    comment,
    key,
    payload,
    createdAt: now().toISOString(),
    isDeleted: 0,
  }
  store.insert('wooviStaticCode', code)
  return {
    status: 200,
    body: { pixQrCode: presentWooviStaticCode(code), correlationID, brCode: payload },
  }
}
