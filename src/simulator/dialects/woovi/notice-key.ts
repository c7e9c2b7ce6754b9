import { createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto'
import type { Store } from '../../store.ts'

/** Signs notifications with RSA-SHA256, as Woovi does with a key of its own whose public half it publishes. */
export type NoticeKey = {
  /** SPKI, PEM. */
  publicKeyPem: string
  /** Returns the signature of a body, base64. */
  sign(body: string): string
}

/** Returns the simulator's key, made when it is first needed and stored: a notification in the queue may outlive the process. */
export function noticeKeyOf(store: Store): NoticeKey {
  const privateKeyPem = storedPem(store) ?? newPem(store)
  const privateKey = createPrivateKey(privateKeyPem)
  return {
    publicKeyPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: body => createSign('sha256').update(body).sign(privateKey, 'base64'),
  }
}

function storedPem(store: Store): string | undefined {
  return store.one<{ privateKeyPem: string }>('SELECT privateKeyPem FROM wooviNoticeKey')?.privateKeyPem
}

function newPem(store: Store): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  store.insert('wooviNoticeKey', { privateKeyPem })
  return privateKeyPem
}
