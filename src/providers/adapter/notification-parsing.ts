import { createHash, timingSafeEqual } from 'node:crypto'
import type { NoAnswerResult, NotificationItem } from '../../domain/providers/provider.ts'
import type { Provider, ProviderNotificationRequest } from '../port.ts'
import type { RecordUnexplainedAnswer, UnexplainedAnswer } from './unexplained-answers.ts'

/** Result of verifying a notification; `no_answer`: the provider did not return the key to verify it by. */
export type NotificationVerification = { kind: 'genuine' } | { kind: 'forged' } | NoAnswerResult

/** What a notification's body contains: its items, absent if none is readable, and what no document explains. */
export type ParsedNotification = {
  items?: NotificationItem[]
  unexplained?: Pick<UnexplainedAnswer, 'kind' | 'name' | 'body'>[]
}

/** Creates the reader of a provider API's notifications: one that is genuine is parsed, and its unexplained parts are recorded. */
export function createNotificationReader(
  verify: (notification: ProviderNotificationRequest) => Promise<NotificationVerification>,
  parse: (body: string) => ParsedNotification,
  record: RecordUnexplainedAnswer = async () => {},
): Provider['readNotification'] {
  return async notification => {
    const verification = await verify(notification)
    if (verification.kind !== 'genuine') return verification
    const { items, unexplained = [] } = parse(notification.body)
    for (const part of unexplained)
      await record({ operation: 'readNotification', reference: null, status: null, ...part })
    return items ? { kind: 'items', items } : { kind: 'unreadable' }
  }
}

/** Compares digests in constant time, so that neither time nor length reveals how much of a guess is right. */
export function isEqualInConstantTime(guess: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(guess), digest(secret))
}

export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
