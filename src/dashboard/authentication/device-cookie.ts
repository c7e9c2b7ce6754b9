import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import { openSealedValue } from './sealed-value.ts'

/** Lifetime of a device cookie after the last sign-in. */
export const DEVICE_COOKIE_MAX_AGE_MS = 180 * 24 * 60 * 60 * 1_000

/** Most e-mails per device cookie: the people who share the device. */
const MAX_EMAILS_PER_DEVICE = 5

const deviceCookieSchema = z.object({
  kind: z.literal('dashboard-device'),
  device: z.uuid(),
  /** SHA-256 of each e-mail that has signed in, the latest first. */
  emails: z.array(z.string()).max(MAX_EMAILS_PER_DEVICE),
  endsAtMs: z.number(),
})

/** Content of a device cookie, from an earlier sign-in. The cookie alone grants no access. */
export type DeviceCookie = z.infer<typeof deviceCookieSchema>

/** Reads a device's cookie; null without a valid one (OWASP, device cookies). */
export function openDeviceCookie(cookie: string | undefined, sealer: Sealer): DeviceCookie | null {
  return openSealedValue(sealer, deviceCookieSchema, cookie)
}

/** Creates the device cookie after an e-mail has signed in, with the e-mails that did before. */
export function sealDeviceCookie(device: DeviceCookie | null, email: string, sealer: Sealer): string {
  const emailHash = hashDeviceEmail(email)
  const others = (device?.emails ?? []).filter(hash => hash !== emailHash)
  return sealer.seal({
    kind: 'dashboard-device',
    device: device?.device ?? randomUUID(),
    emails: [emailHash, ...others].slice(0, MAX_EMAILS_PER_DEVICE),
    endsAtMs: Date.now() + DEVICE_COOKIE_MAX_AGE_MS,
  } satisfies DeviceCookie)
}

/** Tests whether this e-mail has signed in on the device before. */
export function hasSignedInOnDevice(device: DeviceCookie | null, email: string): device is DeviceCookie {
  return device?.emails.includes(hashDeviceEmail(email)) ?? false
}

function hashDeviceEmail(email: string): string {
  return sha256(`device ${email}`).toString('base64url')
}
