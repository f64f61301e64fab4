import { DOMAIN_NAME, EMAIL_ADDRESS } from './formats.ts';
import { checkLogo } from './logo.ts';

export interface BrandField {
  /** The name under which `GET /api/v1/brand` serves it: the one of the peer, whose Go struct has no tags. */
  readonly key: string;
  readonly required?: true;
  /** What is wrong with a text, as the rest of a sentence. */
  readonly check: (text: string) => string | undefined;
}

const colour = pattern(/^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i, 'a colour such as "#1d4ed8", in quotes');
const url = pattern(
  /^(?=.{1,2048}$)https?:\/\/[^\s\p{Cc}\p{Cf}<>"'`\\@]+$/u,
  'an http or https URL without user information',
);

/** What a brand file may hold. */
export const BRAND_FIELDS = {
  name: {
    key: 'Name',
    required: true,
    check: pattern(
      /^(?!\p{Zs})[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>]{1,64}(?<!\p{Zs})$/u,
      'one line of 1 to 64 characters without <, > and invisible ones',
    ),
  },
  short_name: {
    key: 'ShortName',
    check: pattern(/^[a-z][a-z0-9-]{0,31}$/, 'a lower-case letter and up to 31 lower-case letters, digits and hyphens'),
  },
  binary_name: {
    key: 'BinaryName',
    required: true,
    check: pattern(
      /^[A-Za-z0-9][\w.-]{0,63}$/,
      'a command name: 1 to 64 letters, digits, dots, hyphens and underscores',
    ),
  },
  domain: { key: 'Domain', check: pattern(DOMAIN_NAME, 'a DNS name such as roundhouse.example.com') },
  support_url: { key: 'SupportURL', check: url },
  support_email: { key: 'SupportEmail', check: pattern(EMAIL_ADDRESS, 'an e-mail address') },
  docs_url: { key: 'DocsURL', check: url },
  discussions_url: { key: 'DiscussionsURL', check: url },
  repo_url: { key: 'RepoURL', check: url },
  primary_color: { key: 'PrimaryColor', check: colour },
  primary_color_dark: { key: 'PrimaryColorDark', check: colour },
  logo_svg: { key: 'LogoSVG', check: checkLogo },
} as const satisfies Readonly<Record<string, BrandField>>;

function pattern(expression: RegExp, expected: string): BrandField['check'] {
  return (text) => (expression.test(text) ? undefined : `must be ${expected}`);
}
