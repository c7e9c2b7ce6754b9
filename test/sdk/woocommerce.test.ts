import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { run } from './typescript/support/package.ts'

/** The plugin for WooCommerce on WordPress from Debian, by its own tests: plugins/woocommerce/README.md says what they need. */

const PLUGIN = join(import.meta.dirname, '../../plugins/woocommerce')
const { WORDPRESS_DIR = '/usr/share/wordpress', MARIADBD = '/usr/sbin/mariadbd' } = process.env

const modules = await run('php', ['-m']).then(
  ({ stdout }) => stdout.split('\n'),
  () => undefined,
)
const missing = [
  !modules && 'PHP',
  modules && !modules.includes('mysqli') && 'mysqli of PHP',
  !existsSync(join(WORDPRESS_DIR, 'wp-settings.php')) && 'WordPress',
  !existsSync(MARIADBD) && 'MariaDB',
].filter(what => typeof what === 'string')

const testWithTools = missing.length > 0 ? test.skip : test
const title = 'the tests of the plugin for WooCommerce pass'
testWithTools(missing.length > 0 ? `${title}: there is no ${missing.join(', no ')}` : title, async () => {
  const { stdout } = await run('php', ['tests/run.php'], { cwd: PLUGIN }).catch(error => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })
  expect(stdout).toMatch(/^[1-9]\d* passed, 0 failed$/m)
})
