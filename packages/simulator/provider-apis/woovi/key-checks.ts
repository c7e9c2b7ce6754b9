import { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import { changeBucket, lookUpDictKey, readBucket } from '../../dict-look-ups.ts'
import type { KeyHolder } from '../../key-holder.ts'
import { detectDocumentKind, detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { PAYER_BANK_ISPB } from '../../receipts.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { parseWooviBody } from './schemas.ts'

/** Woovi's bucket of an account ("Token Bucket"): below twenty tokens a look-up is refused before it reaches DICT. */
const WOOVI_BUCKET = { name: 'woovi', capacity: 500, refillPerMinute: 20, minTokens: 20 }
/** "Uma chave não encontrada fica em cache por 5 minutos." */
const UNKNOWN_KEY_CACHE_MS = 5 * 60_000
/** Tokens that come back when a looked-up key is paid. */
const TOKENS_OF_PAYMENT = 2

const keyCheckBody = z.object({ pixKey: z.string().min(1).max(77) })

/** Creates the handlers of the check of a key, `POST /pix-keys/check`, and of the bucket, `GET /pix-keys/tokens`. */
export function createWooviKeyCheckHandlers(
  state: SimulatorState,
): Record<'check' | 'tokens', (call: SimulatedCall) => SimulatedResponse> {
  return {
    check: ({ account, body }) => {
      const parsed = parseWooviBody(keyCheckBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { pixKey } = parsed.value
      const key = pixKey.includes('@') ? pixKey.toLowerCase() : pixKey
      const kind = detectKeyKind(key)
      if (kind === null) return errors.invalidKey()
      return state.store.inTransaction(() => checkKey(state, account, key, kind === 'RANDOM' ? 'EVP' : kind))
    },
    tokens: ({ account }) => {
      const tokens = Math.floor(readBucket(state, account, WOOVI_BUCKET))
      const { capacity: maxTokens, refillPerMinute: refreshRate } = WOOVI_BUCKET
      return {
        status: 200,
        body: {
          tokens,
          nextRefresh: new Date(state.now().getTime() + 60_000).toISOString(),
          maxTokens,
          tokensAfterRefresh: Math.min(maxTokens, tokens + refreshRate),
          refreshRate,
        },
      }
    },
  }
}

function checkKey(
  state: SimulatorState,
  account: SimulatedAccount,
  key: string,
  type: string,
): SimulatedResponse {
  const { store, ids, now } = state
  const at = now().toISOString()
  const known = store.first<{ at: string }>(
    'SELECT at FROM wooviUnknownKey WHERE accountId = ? AND key = ?',
    account.id,
    key,
  )
  if (known && now().getTime() - Date.parse(known.at) < UNKNOWN_KEY_CACHE_MS) return errors.keyNotRegistered()
  const answer = lookUpDictKey(state, account, key, WOOVI_BUCKET)
  switch (answer.kind) {
    case 'exhausted':
      return errors.tooManyKeyChecks()
    case 'fraud':
      return errors.keySuspectedOfFraud()
    case 'not_found':
      store.run('INSERT OR REPLACE INTO wooviUnknownKey VALUES (?, ?, ?)', account.id, key, at)
      return errors.keyNotRegistered()
    case 'found': {
      const { name, document } = answer.owner
      const ispb = state.accounts.findByKey(key)?.ispb ?? PAYER_BANK_ISPB
      const pixKeyEndToEndId = ids.endToEnd({ ispb: account.ispb, at })
      store.insert('wooviKeyCheck', {
        endToEnd: pixKeyEndToEndId,
        accountId: account.id,
        key,
        owner: JSON.stringify(answer.owner),
        isPaid: 0,
      })
      const owner = { name, taxID: formatTaxId(document), psp: ispb, branch: '****', account: '*'.repeat(20) }
      return { status: 200, body: { pixKeyEndToEndId, pixKey: key, type, owner } }
    }
  }
}

/** A CPF shows its first three and last two digits, a CNPJ is whole. */
function formatTaxId(document: string): string {
  return detectDocumentKind(document) === 'CPF'
    ? `${document.slice(0, 3)}.***.***-${document.slice(-2)}`
    : document.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5')
}

/**
 * Finds the owner whom a payment pays that names the check of its key: DICT is not asked again ("reutilize-o na criação do pagamento, em
 * vez de consultar a mesma chave duas vezes"). Undefined without a check of this key by the account.
 */
export function findCheckedOwner(
  { store }: Pick<SimulatorState, 'store'>,
  { id }: SimulatedAccount,
  { key, checkEndToEnd }: { key: string; checkEndToEnd: string | null },
): KeyHolder | undefined {
  const check = store.first<{ owner: string }>(
    'SELECT owner FROM wooviKeyCheck WHERE endToEnd = ? AND accountId = ? AND key = ?',
    checkEndToEnd,
    id,
    key,
  )
  return check && (JSON.parse(check.owner) as KeyHolder)
}

/** Returns tokens to an account that pays a key by the id of its check, once for each check. */
export function creditKeyCheck(
  state: SimulatorState,
  account: SimulatedAccount,
  endToEnd: string | undefined,
): void {
  if (endToEnd === undefined) return
  const changed = state.store.run(
    'UPDATE wooviKeyCheck SET isPaid = 1 WHERE endToEnd = ? AND accountId = ? AND isPaid = 0',
    endToEnd,
    account.id,
  )
  if (changed === 1) changeBucket(state, account, WOOVI_BUCKET, TOKENS_OF_PAYMENT)
}
