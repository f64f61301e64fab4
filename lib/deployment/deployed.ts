/** The functions whose new versions get traffic only after a hook has checked them. */
export const DEPLOYED = ['convert', 'api'] as const;

export type Deployed = (typeof DEPLOYED)[number];
