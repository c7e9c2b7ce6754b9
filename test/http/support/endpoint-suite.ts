import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { type CertificateAuthority, createAuthority } from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from './api-fixture.ts'
import { openEndpointFixture } from './endpoint-fixture.ts'

/** Opens, for a test file, a database and an authority, and closes after each test what that test has opened. */
export function setUpEndpointSuite() {
  let fixture: ApiFixture
  let ca: CertificateAuthority
  beforeAll(async () => {
    ca = await createAuthority()
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  return {
    /** Only within tests: it opens before them. */
    getFixture: () => fixture,
    closeAfterTest(close: () => Promise<void>): void {
      closing.push(close)
    },
    async openEndpoint(options: Parameters<typeof openEndpointFixture>[1] = {}) {
      const story = await openEndpointFixture({ world: fixture, ca }, options)
      closing.push(story.close)
      return story
    },
  }
}
