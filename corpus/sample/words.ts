/** Words for the names of vendors, products and kernel parts. All are invented. */

/** Syllables of vendor names: first, middle, last. They give 40 x 40 x 40 names before a second word is needed. */
export const FIRST_SYLLABLES =
  'Bra Cor Dal Fen Gal Hul Jor Kel Lun Mar Nar Orl Pel Quo Ras Sel Tor Ulm Vel Wes Yar Zel Bri Cas Dro Eld Fro Gri Hav Ist Jan Kru Lor Mil Nev Osk Pry Ril Ska Tam'.split(
    ' ',
  )
export const MIDDLE_SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za be ci do fu ga he ji ko lu ma ne pi ro su ta ve wi xo zu bi'.split(
    ' ',
  )
export const LAST_SYLLABLES =
  'bor cen dal fer gon hart jin kar lem mont nis pol quist rand sen tal vik wen xon yard zer bant crest dorf fall gard holm jord kamp lund mark nord port rok stad thal vang wick zell dane'.split(
    ' ',
  )
export const COMPANY_WORDS = [
  '',
  '',
  '',
  '',
  ' Systems',
  ' Software',
  ' Labs',
  ' Networks',
  ' Project',
  ' Inc.',
  ' GmbH',
  ' AB',
  ' Technologies',
  ' Foundation',
  ' Ltd.',
] as const

export const PRODUCT_FIRST =
  'Harbor Quill Lantern Meadow Anvil Cobalt Juniper Saffron Tundra Beacon Drift Ember Falcon Granite Heron Indigo Kestrel Larch Mosaic Nimbus Onyx Prairie Raven Sable Thistle Umber Willow Zephyr Amber Birch Copper Delta'.split(
    ' ',
  )
export const PRODUCT_SECOND = [
  'Gateway',
  'Server',
  'Manager',
  'Console',
  'Agent',
  'Router',
  'Studio',
  'Library',
  'Portal',
  'Firmware',
  'Scheduler',
  'Viewer',
  'Backup',
  'Identity',
  'Mail',
  'Camera',
  'Toolkit',
  'Proxy',
  'Desk',
  'Cloud',
  'Broker',
  'Player',
  'Driver',
  'SDK',
] as const
export const PLUGIN_FIRST = [
  'Simple',
  'Easy',
  'Advanced',
  'Smart',
  'Ultimate',
  'Instant',
  'Quick',
  'Pretty',
  'Responsive',
  'Wonder',
] as const
export const PLUGIN_SECOND = [
  'Gallery',
  'Contact Form',
  'Booking Calendar',
  'Slider',
  'Popup',
  'Member Directory',
  'Price Table',
  'Newsletter',
  'Page Builder',
  'Shop Filter',
  'Event List',
  'FAQ Block',
  'Social Share',
] as const
export const PACKAGE_SECOND = [
  'parser',
  'router',
  'client',
  'core',
  'utils',
  'auth',
  'yaml',
  'queue',
  'http',
  'template',
  'image',
  'sql',
] as const
export const KERNEL_AREAS = [
  'net/mesh',
  'fs/quillfs',
  'mm/slabs',
  'drivers/gpu/lantern',
  'drivers/net/heron',
  'drivers/usb/kestrel',
  'sound/soc/reed',
  'block/ledger',
  'crypto/onyx',
  'drivers/media/prism',
  'net/sched/weir',
  'drivers/iommu/gate',
] as const
export const KERNEL_VERBS = [
  'fix use-after-free in',
  'avoid NULL deref in',
  'hold the lock across',
  'check the return value of',
  'do not leak pages in',
  'fix refcount imbalance in',
  'validate the length in',
  'cancel pending work in',
  'bail out early from',
  'fix a race between probe and',
] as const
export const FUNCTION_NAMES = [
  'parse_header',
  'read_frame',
  'set_option',
  'handle_reply',
  'load_profile',
  'copy_segment',
  'check_token',
  'render_view',
  'free_context',
  'open_session',
  'decode_chunk',
  'update_cache',
  'apply_filter',
  'get_user_meta',
] as const
