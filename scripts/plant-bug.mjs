/** Plants one bug in a build of the simulator: one piece of one source is replaced, and it has to be there exactly once. */

/**
 * @param {{ name: string, file: string, find: string, replace: string }} bug
 * @returns {import('vite').Plugin & { wasPlanted(): boolean }}
 */
export function plantBug({ name, file, find, replace }) {
  let planted = false
  return {
    name: `plant-${name}`,
    enforce: 'pre',
    transform(code, id) {
      if (!id.split('?')[0].endsWith(`/${file}`)) return null
      const pieces = code.split(find)
      if (pieces.length !== 2)
        throw new Error(`${name}: ${file} has ${pieces.length - 1} places that look like this: ${find}`)
      planted = true
      return pieces.join(replace)
    },
    wasPlanted: () => planted,
  }
}
