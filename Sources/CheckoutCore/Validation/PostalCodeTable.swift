// Postal codes by country (Universal Postal Union addressing sheets, simplified to their form). What is not listed,
// countries without postal codes such as HK and AE included, may leave the code out or write anything plain.
// Rules are only ever loosened: a stricter one would refuse a repeat of a request that was paid before.

/// The rules as text: a country's code, a space, its patterns separated by bars (see `PostalCodePattern`).
enum PostalCodeTable {
  /// Countries where mail without the code is not delivered, or only late.
  static let required = """
    AD adDDD
    AS DDDDD|DDDDD-DDDD
    AT DDDD
    AU DDDD
    AX DDDDD
    BA DDDDD
    BE DDDD
    BG DDDD
    BL 97DDD
    BR DDDDD-DDD
    BY DDDDDD
    CA ADA DAD|ADA-DAD
    CC DDDD
    CH DDDD
    CN DDDDDD
    CX DDDD
    CY DDDD
    CZ DDD DD
    DE DDDDD
    DK DDDD
    EE DDDDD
    ES DDDDD
    FI DDDDD
    FM DDDDD|DDDDD-DDDD
    FO DDD
    FR DDDDD|DD DDD
    GB AD DAA|ADD DAA|ADA DAA|AAD DAA|AADD DAA|AADA DAA|gir 0aa
    GF 97DDD
    GG gyD DAA|gyDD DAA
    GL DDDD
    GP 97DDD
    GR DDD DD
    GU DDDDD|DDDDD-DDDD
    HR DDDDD
    HU DDDD
    ID DDDDD
    IM imD DAA|imDD DAA
    IN DDD DDD
    IS DDD
    IT DDDDD
    JE jeD DAA|jeDD DAA
    JP DDD-DDDD|DDD DDDD
    KR DDDDD
    KZ DDDDDD|ADDADAD
    LI DDDD
    LT DDDDD
    LU DDDD|l-DDDD
    LV DDDD
    MC 98DDD
    MD DDDD
    ME DDDDD
    MF 97DDD
    MH DDDDD|DDDDD-DDDD
    MK DDDD
    MP DDDDD|DDDDD-DDDD
    MQ 97DDD
    MT AAA DDDD
    MX DDDDD
    MY DDDDD
    NC 98DDD
    NF DDDD
    NL DDDD AA
    NO DDDD
    NZ DDDD
    PF 98DDD
    PH DDDD
    PK DDDDD
    PL DD-DDD
    PM 97DDD
    PR DDDDD|DDDDD-DDDD
    PT DDDD-DDD|DDDD DDD
    PW DDDDD|DDDDD-DDDD
    RE 97DDD
    RO DDDDDD
    RS DDDDD|DDDDDD
    RU DDDDDD
    SE DDD DD
    SG DDDDDD
    SI DDDD
    SJ DDDD
    SK DDD DD
    SM 4789D
    TH DDDDD
    TR DDDDD
    TW DDD|DDDDD|DDDDDD|DDD-DD|DDD-DDD
    UA DDDDD
    US DDDDD|DDDDD-DDDD|DDDDD DDDD
    VA 00120
    VI DDDDD|DDDDD-DDDD
    WF 98DDD
    YT 97DDD
    ZA DDDD
    """

  /// Countries that have codes but where many addresses are written without one.
  static let optional = """
    AL DDDD
    AM DDDD|DDDDDD
    AR DDDD|ADDDDAAA
    BD DDDD
    CL DDDDDDD|DDD-DDDD|DDD DDDD
    CO DDDDDD
    CR DDDDD
    CU DDDDD
    DO DDDDD
    DZ DDDDD
    EC DDDDDD
    EG DDDDD|DDDDDDD
    GE DDDD
    GI gx11 1aa
    IE AXX XXXX
    IL DDDDD|DDDDDDD
    KE DDDDD
    KG DDDDDD
    KW DDDDD
    LK DDDDD
    MA DDDDD
    NG DDDDDD
    NP DDDDD
    PE DDDDD
    SA DDDDD|DDDDD-DDDD
    TN DDDD
    UY DDDDD
    UZ DDDDDD
    VN DDDDD|DDDDDD
    """
}
