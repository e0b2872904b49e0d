"use client";

import { Link } from "waku";
import { About as AboutPage, Garden } from "../../Garden.jsx";

export const Shop = ({ delivery }) => <Garden Link={Link} delivery={delivery} />;
export const About = () => <AboutPage Link={Link} />;
