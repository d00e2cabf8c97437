/// Names of countries besides those in the table: different names in CLDR and ISO, and common ones such as `UK`.
enum CountryAliases {
  /// Returns the codes of the countries with a folded name, the likeliest first, or an empty array.
  static func codes(of folded: String) -> [String] { codes[folded] ?? [] }

  private static let codes: [String: [String]] = {
    var codes: [String: [String]] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      for name in words.dropFirst() { codes[name] = words[0].split(separator: ",").map(String.init) }
    }
    return codes
  }()

  /// The codes, each with names in folded form.
  private static let text = """
    AE emirates uae 阿联酋
    AG antigua antiguabarbuda
    AU 澳洲
    AX aland
    BA bosnia bosniaherzegovina 波黑
    BL saintbarts stbarthelemy stbarts
    BN bruneidarussalam
    BO boliviaplurinationalstateof plurinationalstateofbolivia
    BQ bonaire bonairesainteustatiussaba bonairesinteustatiusandsaba bonairesinteustatiussaba bonairesteustatiusandsaba
    BQ bonairesteustatiussaba caribbeannetherlands
    CC cocoskeelingislands keelingislands
    CD congodemocraticrepublicofthe congokinshasa congothedemocraticrepublicofthe drc drcongo zaire 刚果民主共和国
    CD,CG congo 刚果
    CF 中非
    CG congobrazzaville congorepublicofthe 刚果共和国
    CI cotedivoire 象牙海岸
    CN peoplesrepublicofchina prc prchina 中华人民共和国
    CV capeverde
    CZ czechrepublic 捷克共和国
    DO 多米尼加
    FK falklandislandsmalvinas falklands malvinas
    FM federatedstatesofmicronesia micronesiafederatedstatesof
    GB britain greatbritain uk unitedkingdomofgreatbritainandnorthernireland unitedkingdomofgreatbritainnorthernireland 大不列颠
    GB 联合王国
    GE republicofgeorgia
    GS southgeorgia southgeorgiaandsouthsandwichislands southgeorgiasouthsandwichislands southgeorgiathesouthsandwichislands
    HK hongkongsar hongkongsarchina 中国香港
    HM heardandmcdonaldislands heardislandmcdonaldislands heardmcdonaldislands
    IE eire republicofireland
    IM man
    IR iranislamicrepublicof islamicrepublicofiran persia
    KG kyrgyzrepublic
    KH kampuchea
    KN saintkitts saintkittsnevis stkitts stkittsandnevis stkittsnevis
    KP democraticpeoplesrepublicofkorea dprk koreademocraticpeoplesrepublicof koreanorth 北韩 朝鲜民主主义人民共和国
    KR korearepublicof koreasouth republicofkorea 南韩 大韩民国
    KR,KP korea
    LA laopeoplesdemocraticrepublic
    LC stlucia
    LK ceylon
    LY libyanarabjamahiriya
    MD moldovarepublicof republicofmoldova
    MF saintmartinfrenchpart stmartin stmartinfrenchpart
    MK macedonia republicofnorthmacedonia
    MM burma myanmarburma
    MO macaosar macaosarchina macau macausar 中国澳门
    NL holland kingdomofthenetherlands netherlands
    NZ aotearoa 纽西兰
    PG 巴新
    PM saintpierremiquelon stpierreandmiquelon stpierremiquelon
    PN pitcairnislands
    PS palestine palestinestateof palestinianterritories stateofpalestine 巴勒斯坦
    RU russianfederation 俄国
    SA saudi 沙特
    SH sainthelenaascensionandtristandacunha sainthelenaascensiontristandacunha sthelena sthelenaascensionandtristandacunha
    SH sthelenaascensiontristandacunha
    SJ svalbard svalbardjanmayen
    SK slovakrepublic
    ST saotome saotomeprincipe
    SX sintmaartendutchpart
    SY syrianarabrepublic
    SZ swaziland
    TC turkscaicosislands
    TF frenchsouthernandantarcticlands frenchsouthernantarcticlands
    TH siam
    TL easttimor
    TR turkiye
    TT trinidad trinidadtobago
    TW chinesetaipei taiwanprovinceofchina
    TZ tanzaniaunitedrepublicof unitedrepublicoftanzania
    UM usminoroutlyingislands usoutlyingislands
    US america unitedstatesofamerica 美利坚合众国
    VA holysee holyseevaticancitystate vaticancity vaticancitystate
    VC saintvincent saintvincentandgrenadines saintvincentgrenadines saintvincentthegrenadines stvincent
    VC stvincentandgrenadines stvincentandthegrenadines stvincentgrenadines stvincentthegrenadines
    VE bolivarianrepublicofvenezuela venezuelabolivarianrepublicof
    VG virginislandsbritish
    VI virginislandsus
    WF wallisfutuna
    """
}
