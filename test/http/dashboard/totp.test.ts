import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { enableSecondFactor } from '../../../src/admin/second-factor.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { findTotpStep, generateRecoveryCodes, generateTotpSecret } from '../../../src/security/totp.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { PASSWORD } from '../support/full-account.ts'
import type { CodeOrder } from '../support/second-factor-process.ts'

/** The codes of the second factor: those of the two norms, and each accepted once, by all processes together. */

/** Key of both norms' examples: "12345678901234567890" in base32. */
const NORM_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** RFC 4226, appendix D: the codes of the counters 0 to 9. */
const HOTP_CODES = [
  ...['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'],
].map((code, counter) => [counter, code] as const)

/** RFC 6238, appendix B, SHA-1: seconds since 1970, and the code, of eight digits there, of whose last six we have. */
const TOTP_CODES = [
  [59, 1, '94287082'],
  [1_111_111_109, 0x23523ec, '07081804'],
  [1_111_111_111, 0x23523ed, '14050471'],
  [1_234_567_890, 0x273ef07, '89005924'],
  [2_000_000_000, 0x3f940aa, '69279037'],
  [20_000_000_000, 0x27bc86aa, '65353130'],
] as const

test.each(HOTP_CODES)('counter %i has the code %s of RFC 4226', (counter, code) => {
  expect(findTotpStep(NORM_SECRET, code, counter * 30_000)).toBe(counter)
})

test.each(TOTP_CODES)('second %i has the step %i and the code %s of RFC 6238', (second, step, code) => {
  const six = code.slice(-6)
  expect(findTotpStep(NORM_SECRET, six, second * 1_000)).toBe(step)
  // One step of clock difference, either way, and no more.
  for (const [steps, found] of [
    ...[[-1, step] as const, [1, step] as const],
    ...[[-2, null] as const, [2, null] as const],
  ])
    expect([steps, findTotpStep(NORM_SECRET, six, (second + steps * 30) * 1_000)]).toEqual([steps, found])
  expect(findTotpStep(NORM_SECRET, code, second * 1_000)).toBeNull()
})

let fixture: ApiFixture
const processes: ReturnType<typeof fork>[] = []
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
})
afterAll(async () => {
  for (const one of processes) one.kill()
  await fixture.close()
})

test('a code and a recovery code are accepted once by two processes that have them at once', async () => {
  const em = fixture.orm.em.fork()
  const { uuid: userUuid, email } = await addUser(em, {
    email: 'two@trilho.test',
    password: PASSWORD,
    accountUuid: null,
  })
  const [secret, recoveryCodes] = [generateTotpSecret(), generateRecoveryCodes()]
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const codeOf = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 })
  const author = { uuid: userUuid, email, accountUuid: null }
  // The code is made and checked within the same step of 30 s.
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now())
  const order = { author, secret, code: codeOf(-1), recoveryCodes }
  expect(await enableSecondFactor(em, fixture.dependencies.sealer, order)).toBe('enabled')
  clock.mockRestore()

  const program = join(import.meta.dirname, '../support/second-factor-process.ts')
  const { databaseUrl, secretKeys } = fixture.config
  for (let n = 0; n < 2; n++) processes.push(fork(program, [databaseUrl, secretKeys], { execArgv: [] }))
  await Promise.all(processes.map(one => once(one, 'message')))
  const accept = (code: string) =>
    Promise.all(
      processes.map(async one => {
        const answer = once(one, 'message')
        one.send({ userUuid, code } satisfies CodeOrder)
        return (await answer)[0] as boolean
      }),
    )
  for (const code of [codeOf(0), codeOf(1), ...recoveryCodes])
    expect((await accept(code)).toSorted()).toEqual([false, true])
  for (const code of [codeOf(-1), codeOf(0), recoveryCodes[0]!])
    expect(await accept(code)).toEqual([false, false])
})
