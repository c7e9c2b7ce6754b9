import { z } from 'zod'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import { optionalText } from '../adapter/fields.ts'
import { toLookUpKeyOutcome } from '../adapter/outcomes.ts'
import { toParty } from '../adapter/party.ts'
import type { KeyLookUpCalls } from '../port.ts'
import type { WooviClient } from './client.ts'

/**
 * The owner of a key: the name whole, a CPF masked and a CNPJ whole, `psp` the ISPB, branch and account masked ("Verificação de Chave
 * Pix"). A page of Woovi's has the same in an object `pixKey` with a bank code, which is not read.
 */
const keyCheckSchema = z.object({
  pixKey: z.string(),
  pixKeyEndToEndId: optionalText,
  owner: z.object({
    name: z.string().min(1),
    taxID: z.string().min(1),
    psp: optionalText,
    branch: optionalText,
    account: optionalText,
  }),
})

const tokenCountSchema = z.number().min(0)
const tokensSchema = z.object({
  tokens: tokenCountSchema,
  maxTokens: tokenCountSchema,
  refreshRate: tokenCountSchema,
})

/** Creates the look-up of any key's owner, which Woovi enables for an account on request, and its bucket of tokens. */
export function createWooviKeyLookUp(client: WooviClient): KeyLookUpCalls {
  return {
    async lookUpKey(key) {
      // A POST, so that the key is in no URL.
      const call = { call: 'lookUpKey', method: 'POST', path: '/api/v1/pix-keys/check' } as const
      const outcome = await client.lookUp(
        { ...call, json: { pixKey: key } },
        keyCheckSchema,
        ({ pixKey, pixKeyEndToEndId: endToEnd, owner }) => {
          if (normalizePixKey(pixKey) !== key) return undefined
          const { name, taxID: document, psp: ispb, branch, account } = owner
          const party = toParty({
            name,
            document,
            ispb: ispb ?? null,
            agency: branch ?? null,
            account: account ?? null,
          })
          return { owner: party, ...(endToEnd && { endToEnd }) }
        },
      )
      return toLookUpKeyOutcome(outcome)
    },

    /** Reads the bucket of the account that the AppID is linked to: `refreshRate` is what it gains in a minute. */
    async findLookUpBudget() {
      const call = { call: 'findLookUpBudget', path: '/api/v1/pix-keys/tokens' } as const
      return client.lookUpExisting(call, tokensSchema, ({ tokens, maxTokens, refreshRate }) => ({
        budget: { capacity: maxTokens, left: Math.min(tokens, maxTokens), refillPerMinute: refreshRate },
      }))
    },
  }
}
