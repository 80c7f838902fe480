/** Finds the package of `drover dev`, which an installation for production leaves out. */

type DevPackage = typeof import('@drover/dev')

class MissingDevPackage extends Error {
  override readonly name = 'MissingDevPackage'
}

export async function loadDev(load: () => Promise<DevPackage> = () => import('@drover/dev')): Promise<DevPackage> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new MissingDevPackage(
      'drover dev needs the package @drover/dev: npm install --save-dev @drover/dev. With npx, add -p @drover/dev.',
    )
  }
}

/** A package that is there but lacks one of its own is broken, not missing. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@drover/dev'")
}
