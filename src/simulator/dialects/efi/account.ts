import { textFromCents } from '../../../domain/money.ts'
import type { Answer, Call } from '../../calls.ts'
import { isSecure, type Webhook } from '../../webhooks.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { configurationBody, read, webhookBody } from './schemas.ts'

type Routes<Names extends string> = Record<Names, (call: Call) => Answer>

/** Where notices go: `/v2/webhook`. Unlike Efí this does not call the address to test it, which may not listen yet. */
export function webhookCallsOf({ accounts, webhooks }: World): Routes<'put' | 'show' | 'list' | 'remove'> {
  return {
    put: ({ account, params, body }) => {
      const asked = read(webhookBody, body)
      if ('refusal' in asked) return asked.refusal
      const { webhookUrl } = asked.value
      const key = params.chave!
      if (accounts.ofKey(key)?.id !== account.id) return errors.foreignKey()
      if (!URL.canParse(webhookUrl)) return errors.invalidValue('URL inválida')
      if (!isSecure(new URL(webhookUrl))) return errors.insecureWebhook()
      webhooks.register(account.id, { key, url: webhookUrl })
      return { status: 201, body: { webhookUrl } }
    },
    show: ({ account, params }) => {
      const webhook = webhooks.find(account.id, params.chave!)
      return webhook ? { status: 200, body: shown(webhook) } : errors.webhookNotFound()
    },
    list: call =>
      listed(call, {
        field: 'webhooks',
        between: ({ from, to }) =>
          webhooks.list(call.account.id).filter(({ createdAt }) => from <= createdAt && createdAt <= to),
        fits: () => true,
        shown,
      }),
    remove: ({ account, params }) =>
      webhooks.remove(account.id, params.chave!) ? { status: 204 } : errors.webhookNotFound(),
  }
}

/** `/v2/gn/config` ("Criar/modificar configurações da conta"). */
export function configurationCallsOf({ configurations }: World): Routes<'put' | 'show'> {
  return {
    put: ({ account, body }) => {
      const asked = read(configurationBody, body)
      if ('refusal' in asked) return asked.refusal
      configurations.replace(account.id, asked.value)
      return { status: 204 }
    },
    show: ({ account }) => ({ status: 200, body: configurations.find(account.id) }),
  }
}

/** Random keys: `/v2/gn/evp`. */
export function keyCallsOf({ accounts }: World): Routes<'create' | 'list' | 'remove'> {
  return {
    create: ({ account }) =>
      accounts.mayHaveAnother(account)
        ? { status: 201, body: { chave: accounts.addRandomKey(account.id) } }
        : errors.tooManyKeys(),
    list: ({ account }) => ({ status: 200, body: { chaves: accounts.randomKeysOf(account.id) } }),
    remove: ({ account, params }) =>
      accounts.removeRandomKey(account.id, params.chave!) ? { status: 200 } : errors.keyNotFound(),
  }
}

/** `GET /v2/gn/saldo`. */
export function balanceOf({ rail }: World): (call: Call) => Answer {
  return ({ account, query }) => {
    const saldo = textFromCents(account.balanceCents)
    const judicialCents = rail.judicialCents(account.id)
    const bloqueios = {
      judicial: textFromCents(judicialCents),
      med: textFromCents(account.blockedCents - judicialCents),
      total: textFromCents(account.blockedCents),
    }
    return { status: 200, body: query.get('bloqueios') === 'true' ? { saldo, bloqueios } : { saldo } }
  }
}

function shown({ url, key, createdAt }: Webhook) {
  return { webhookUrl: url, chave: key, criacao: createdAt }
}
