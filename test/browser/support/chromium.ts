import { access } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM_PATHS = [
  process.env.CHROMIUM_PATH,
  // Without a window and its parts: the same pages take a third of the processor's time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of an installed Chromium; null where there is none. */
export async function findChromium(): Promise<string | null> {
  for (const place of CHROMIUM_PATHS) {
    if (!place) continue
    const isThere = await access(place).then(
      () => true,
      () => false,
    )
    if (isThere) return place
  }
  return null
}

/** No optimizing compilers: a page is examined once, and what V8 spends on optimized code is not saved again. */
const JS_FLAGS = '--js-flags=--no-opt --no-maglev'

/**
 * Popups of the address bar, each a page that Chromium loads for every window, though none is ever shown. Chromium takes
 * the last list of features only: the others are those that Playwright disables (its chromiumSwitches.ts).
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export function startBrowser(executablePath: string): Promise<Browser> {
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    `--disable-features=${DISABLED_FEATURES}`,
    JS_FLAGS,
  ]
  // A browser on a busy machine starts slowly.
  return chromium.launch({ executablePath, args, timeout: 120_000 })
}
